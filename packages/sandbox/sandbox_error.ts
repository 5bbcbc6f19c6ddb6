/** Why a sandbox cannot start, in one line that also says the way out. */
export class SandboxError extends Error {
  override name = "SandboxError";
}
