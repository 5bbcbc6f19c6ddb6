import { KeyServiceError } from "@sabika/identity/keys";
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
 * The refusal of what is not there.
 *
 * @param what with its name, as in `order ord_…`
 */
export function notFound(what: string): RefusedError {
  return new RefusedError("not_found", `there is no ${what}`);
}

/** Recorded, and done later: exit 3. */
export class LaterError extends RefusedError {
  override name = "LaterError";
  constructor(message: string, code = "unbooked") {
    super(code, message);
  }
}

/** Done later, if a second person approves: exit 3. */
export class WaitingError extends LaterError {
  override name = "WaitingError";
  constructor(request: { waiting: string; untilMs: number; approvers: readonly string[] }) {
    super(
      `not done yet: ${request.approvers.join(" or ")} approves it until ${
        formatTime(request.untilMs)
      }, ` +
        `with \`sabika approval approve ${request.waiting}\``,
      "approval_required",
    );
  }
}

/** An error to be shown; its class decides the exit code. */
export class ShownError extends Error {
  override name = "ShownError";
}

/** An error in one line, or as JSON for machines; unexpected ones are marked as such. */
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

/** Whether the command, or the environment that it was given in, is wrong. */
export function isUsage(error: unknown): boolean {
  return error instanceof UsageError || error instanceof SettingsError;
}

/** The value of an outcome; throws its refusal. */
export function must<T>(outcome: AdminOutcome<T>): T {
  if (outcome.ok) return outcome.value;
  throw new RefusedError(outcome.code, outcome.detail);
}
