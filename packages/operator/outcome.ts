import { KeyServiceError } from "@sabika/identity/keys";
import type { Waiting } from "@sabika/office/acts";
import type { AdminOutcome } from "@sabika/terms";
import { SettingsError } from "@sabika/terms/settings";
import { formatTime } from "@sabika/protocol";

/** Wrong usage: exit 2 (Decision D45). */
export class UsageError extends Error {
  override name = "UsageError";
}

/** Refused or failed: exit 1. The message is for people, the code for machines. */
export class RefusedError extends Error {
  override name = "RefusedError";
  readonly code: string;
  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/**
 * Makes the refusal for something that does not exist.
 *
 * @param what its kind and its name, such as `order ord_…`
 */
export function notFound(what: string): RefusedError {
  return new RefusedError("not_found", `there is no ${what}`);
}

/** The act is recorded and will be carried out later, or its answer was lost: exit 3. */
export class LaterError extends RefusedError {
  override name = "LaterError";
  constructor(message: string, code = "unbooked") {
    super(code, message);
  }
}

/** The act will be carried out once a second person approves it: exit 3. */
export class WaitingError extends LaterError {
  override name = "WaitingError";
  constructor(request: Waiting) {
    const until = formatTime(request.untilMs);
    super(
      `not done yet: ${request.approvers.join(" or ")} approves it until ${until}, ` +
        `with \`sabika approval approve ${request.waiting}\`` +
        (request.isForRequester ? "; then run this again, to have it done and see the result" : ""),
      "approval_required",
    );
  }
}

/** An error whose message is printed as it is; its `cause` decides the exit code. */
export class ShownError extends Error {
  override name = "ShownError";
}

/** Describes an error in one line of text or of JSON; marks an unexpected error as such. */
export function describeError(error: unknown, asJson: boolean): string {
  const isKeyService = error instanceof KeyServiceError;
  const known = isKeyService || error instanceof RefusedError || isUsage(error);
  const text = error instanceof Error ? error.message : String(error);
  const message = known ? text : `unexpected: ${text}`;
  if (!asJson) return message === "" ? "" : `sabika: ${message}`;
  const code = error instanceof RefusedError
    ? error.code
    : isUsage(error)
    ? "usage"
    : isKeyService
    ? "key_service"
    : "unexpected";
  return JSON.stringify({ error: { code, message } });
}

/** Whether the error is wrong usage: of the command line, or of environment variables. */
export function isUsage(error: unknown): boolean {
  return error instanceof UsageError || error instanceof SettingsError;
}

/** Returns the value of an outcome; throws a `RefusedError` when it is a refusal. */
export function must<T>(outcome: AdminOutcome<T>): T {
  if (outcome.ok) return outcome.value;
  throw new RefusedError(outcome.code, outcome.detail);
}
