/** The reason why a sandbox or a stack cannot start, in one line that also says what to do. */
export class StartError extends Error {
  override name = "StartError";
}
