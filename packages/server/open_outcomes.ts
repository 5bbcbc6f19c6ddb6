import { type ErrorCode, refuse } from "@sabika/protocol";
import type { CallSoFar } from "./call/findings.ts";
import type { Answer } from "./call/reply.ts";

/** The writes of this instance whose outcome their caller may not know. */
export interface OpenOutcomes {
  /** Notes that an attempt has passed the door and begins. Returns its name; undefined without a key. */
  begin(call: CallSoFar): string | undefined;
  /** Notes that the attempt of this name has ended, and returns the answer that its caller may get. */
  end(name: string, call: CallSoFar, answer: Answer): Answer;
}

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
      else if (answer.code === "service_unavailable" && (remaining > 0 || open.has(name))) {
        const { retryAfterSeconds = 1 } = answer;
        return refuse("outcome_unknown", { retryAfterSeconds });
      }
      return answer;
    },
  };
}

function nameOf({ partner, idempotencyKey }: CallSoFar): string | undefined {
  if (partner === undefined || idempotencyKey === undefined) return undefined;
  return `${partner.partnerId} ${idempotencyKey}`;
}
