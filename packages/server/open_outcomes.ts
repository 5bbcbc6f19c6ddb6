import { type ErrorCode, type Refusal, refuse } from "@sabika/protocol";
import type { CallSoFar } from "./call/findings.ts";
import type { Answer } from "./call/reply.ts";

/** The writes of this instance whose outcome their caller may not know. */
export interface OpenOutcomes {
  /** Notes that an attempt has passed the door and begins. Returns its name; undefined without a key. */
  begin(call: CallSoFar): string | undefined;
  /** Notes that the attempt of this name has ended, and returns the answer that its caller may get. */
  end(name: string, call: CallSoFar, answer: Answer): Answer;
  /** Returns the answer that the caller may get for an attempt that was refused before it began. */
  refused(attempt: Attempt, refusal: Refusal): Refusal;
}

/** Whose attempt it is, and its key. */
type Attempt = Pick<CallSoFar, "partner" | "idempotencyKey">;

/** Refusals after which the attempt may have been carried out. */
const LEAVES_OPEN: ReadonlySet<ErrorCode> = new Set(["outcome_unknown", "internal_error"]);
/** The most keys that are remembered; the oldest is forgotten first. */
const MOST = 10_000;

/**
 * Remembers, by Idempotency-Key, attempts that are in progress or whose outcome is open. A repeat that
 * cannot be carried out is then answered with `outcome_unknown`, since `service_unavailable` would mean
 * that nothing was done (Decision D32). Other instances do not know, so the SDKs remember it too.
 */
export function createOpenOutcomes(): OpenOutcomes {
  /** How many attempts of each key are in progress. */
  const underWay = new Map<string, number>();
  const open = new Set<string>();

  function leaveOpen(name: string): void {
    open.delete(name);
    open.add(name);
    if (open.size <= MOST) return;
    const [first] = open;
    open.delete(first!);
  }

  const unlessOpen = (name: string | undefined, refusal: Refusal): Refusal =>
    refusal.code === "service_unavailable" &&
      name !== undefined && (underWay.has(name) || open.has(name))
      ? refuse("outcome_unknown", { retryAfterSeconds: refusal.retryAfterSeconds ?? 1 })
      : refusal;

  return {
    begin(call) {
      const name = nameOf(call);
      if (name !== undefined) underWay.set(name, (underWay.get(name) ?? 0) + 1);
      return name;
    },
    end(name, call, answer) {
      const remaining = underWay.get(name)! - 1;
      if (remaining > 0) underWay.set(name, remaining);
      else underWay.delete(name);
      // An answer that does not reach its caller leaves the outcome open too.
      const isLost = call.outgoing.destroyed;
      if (answer.ok ? isLost : LEAVES_OPEN.has(answer.code)) leaveOpen(name);
      // After such an answer the caller knows the outcome.
      else if (answer.ok || answer.code === "idempotency_key_conflict") open.delete(name);
      else return unlessOpen(name, answer);
      return answer;
    },
    refused: (attempt, refusal) => unlessOpen(nameOf(attempt), refusal),
  };
}

function nameOf({ partner, idempotencyKey }: Attempt): string | undefined {
  if (partner === undefined || idempotencyKey === undefined) return undefined;
  return `${partner.partnerId} ${idempotencyKey}`;
}
