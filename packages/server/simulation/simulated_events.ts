import type { Database } from "@sabika/database";
import {
  deliverAt,
  findEvent,
  holdEvents,
  passEvent,
  releaseEvents,
  simulateWithdrawal,
} from "@sabika/service/simulation";
import type { WithdrawalStatus } from "@sabika/protocol";
import type { CallSoFar } from "../call/findings.ts";
import type { Answer } from "../call/reply.ts";

/** The parts that failures of webhooks on demand need. */
export interface SimulatedEventParts {
  readonly database: Database;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly random: (length: number) => Uint8Array;
  readonly wait: (ms: number) => Promise<void>;
  /** Runs work after the answer, while the instance runs. */
  readonly later: (run: () => Promise<void>) => void;
  /** Sends one event now, signed with a secret that is no longer the partner's. */
  readonly sendWithOldSecret: (event: { partnerId: number; sequence: bigint }) => Promise<void>;
}

type Run = () => Answer | Promise<Answer>;
type Made = { readonly partnerId: number; readonly sequence: bigint };

const TWICE_MS = 1_000;
const LATE_MS = 3_000;
/** Events are released when their effect is certain, and after this time at the latest. */
const HOLD_MS = 15_000;
const WITHDRAWAL_MS = { failed: 2_000, cancelled: 2_000, completed: 4_000 };
/** The most checks for deliveries in flight, and the pause in between. */
const CHECKS_MAX = 40;
const CHECK_PAUSE_MS = 50;

/**
 * The effects of simulations on the event of the resource that was just made, which is held back meanwhile.
 * Each returns for how many more milliseconds it is to be held back.
 */
export const EVENT_EFFECTS = {
  async webhook_twice({ database: { sql }, now }: SimulatedEventParts, made: Made) {
    await deliverAt(sql, made.partnerId, made.sequence, now() + TWICE_MS);
    return 0;
  },
  webhook_late: () => Promise.resolve(LATE_MS),
  async webhook_out_of_order({ database: { sql }, now }: SimulatedEventParts, made: Made) {
    await deliverAt(sql, made.partnerId, made.sequence, now() + LATE_MS);
    await passEvent(sql, made.partnerId, made.sequence);
    return 0;
  },
  async webhook_old_secret({ sendWithOldSecret }: SimulatedEventParts, made: Made) {
    await sendWithOldSecret(made);
    return 0;
  },
};

/** Carries out a request while its event is held back, and passes the event to the effect. */
export async function withEvent(
  effect: (typeof EVENT_EFFECTS)[keyof typeof EVENT_EFFECTS],
  parts: SimulatedEventParts,
  { partner }: CallSoFar,
  run: Run,
): Promise<Answer> {
  const { database: { sql }, now, later } = parts;
  const { partnerId } = partner!;
  const heldUntilMs = await hold(parts, partnerId, HOLD_MS);
  const answer = await run();
  const resourceId = uuidOf(answer);
  later(async () => {
    const sequence = resourceId && await findEvent(sql, partnerId, resourceId);
    const pauseMs = sequence ? await effect(parts, { partnerId, sequence }) : 0;
    await releaseEvents(sql, partnerId, now() + pauseMs, heldUntilMs);
  });
  return answer;
}

/** Holds a partner's events back once no delivery is in flight; returns until when, epoch milliseconds. */
export async function hold(
  { database: { sql }, now, wait }: Pick<SimulatedEventParts, "database" | "now" | "wait">,
  partnerId: number,
  holdMs: number,
): Promise<number> {
  for (let n = 0;; n++) {
    const untilMs = now() + holdMs;
    if (await holdEvents(sql, partnerId, now(), untilMs) || n === CHECKS_MAX) return untilMs;
    await wait(CHECK_PAUSE_MS);
  }
}

/** Lets the bank end a withdrawal some time after the answer. */
export async function withBank(
  status: Extract<WithdrawalStatus, keyof typeof WITHDRAWAL_MS>,
  { database, now, random, wait, later }: SimulatedEventParts,
  { partner }: CallSoFar,
  run: Run,
): Promise<Answer> {
  const answer = await run();
  const { partnerId } = partner!;
  const withdrawalId = uuidOf(answer);
  if (withdrawalId === undefined) return answer;
  later(async () => {
    await wait(WITHDRAWAL_MS[status]);
    const withdrawal = { partnerId, withdrawalId, random };
    if (status !== "cancelled") {
      await simulateWithdrawal(database, { ...withdrawal, status: "processing", nowMs: now() });
    }
    await simulateWithdrawal(database, { ...withdrawal, status, nowMs: now() });
  });
  return answer;
}

/** The UUID of the resource that an answer contains. */
function uuidOf(answer: Answer): string | undefined {
  if (!answer.ok || typeof answer.body !== "string") return undefined;
  return /"id":"[a-z]+_([0-9a-f-]{36})"/.exec(answer.body)?.[1];
}
