/** The key service did not do what was asked; the message is one line and holds no secret. */
export class KeyServiceError extends Error {
  override name = "KeyServiceError";
}
