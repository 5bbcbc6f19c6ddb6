import { type ErrorCode, refuse } from "@sabika/protocol";
import type { CallSoFar } from "./call/findings.ts";
import type { Answer } from "./call/reply.ts";

/** The writes whose outcome their caller may not know, as far as this instance knows of them. */
export interface OpenOutcomes {
  /** An attempt has passed the door and begins; without a key it is not remembered. */
  begin(call: CallSoFar): void;
  /** The attempt is over. Returns the answer that its caller may have. */
  end(call: CallSoFar, answer: Answer): Answer;
}

/** After these an attempt may have been carried out. */
const LEAVES_OPEN: ReadonlySet<ErrorCode> = new Set(["outcome_unknown", "internal_error"]);
/** More are not kept in mind; who was first is forgotten first. */
const MOST = 10_000;

/**
 * Remembers, by Idempotency-Key, attempts that are under way or whose outcome was left open. A repeat that cannot be carried out is answered with `outcome_unknown` then, as its
 * `service_unavailable` would read as if nothing had been done (Decision D32). Other instances know
 * nothing of it, which is why the SDKs keep the same in mind.
 */
export function createOpenOutcomes(): OpenOutcomes {
  /** How many attempts are under way. */
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
    },
    end(call, answer) {
      const name = nameOf(call);
      if (name === undefined) return answer;
      const others = underWay.get(name)! - 1;
      if (others > 0) underWay.set(name, others);
      else underWay.delete(name);
      // What is carried out and reaches nobody is open too.
      const isLost = call.outgoing.destroyed;
      if (answer.ok ? isLost : LEAVES_OPEN.has(answer.code)) leaveOpen(name);
      // Who was answered so found the key.
      else if (answer.ok || answer.code === "idempotency_key_conflict") open.delete(name);
      else if (answer.code === "service_unavailable" && (others > 0 || open.has(name))) {
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
