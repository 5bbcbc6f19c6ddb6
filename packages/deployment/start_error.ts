/** Why a sandbox cannot start, in one line that also says the way out. */
export class StartError extends Error {
  override name = "StartError";
}
