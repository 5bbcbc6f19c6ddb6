import { type AnySql, mapConcurrently } from "@sabika/database";
import { nextAttemptAt } from "@sabika/service/delivery";
import {
  claimDeliveries,
  type DueNotification,
  noteDelivered,
  noteFailed,
} from "@sabika/service/notifications";

/** What the senders have in common. */
export interface SendingParts {
  readonly sql: AnySql;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly random: (length: number) => Uint8Array;
  /** Called for each attempt that failed, with a reason that has nothing of what was sent. */
  readonly onFailed: (failed: { channel: "mail" | "webhook"; id: number; reason: string }) => void;
}

/** Why a notification did not arrive, and when it is tried again; with undefined it is not. */
export interface Unsent {
  readonly reason: string;
  readonly pauseMs: number | undefined;
}

/** How many are sent at once; also how many a claim takes, so that each begins well within its lease. */
const AT_ONCE = 8;
/** Longer than any attempt may take. */
const LEASE_SECONDS = 60;

/**
 * Sends what is due by one channel. An attempt that fails is repeated on the schedule of webhooks
 * (Decision D35), for a day.
 *
 * @param send sends one; rejects, or returns why, when it did not arrive. Without a `pauseMs` it is given up
 */
export async function sendDue(
  { sql, now, random, onFailed }: SendingParts,
  channel: "mail" | "webhook",
  send: (due: DueNotification) => Promise<Unsent | undefined>,
): Promise<void> {
  let claimed: DueNotification[];
  do {
    claimed = await claimDeliveries(sql, channel, { limit: AT_ONCE, leaseSeconds: LEASE_SECONDS });
    await mapConcurrently(claimed, async (due) => {
      const { deliveryId, attempts, id } = due;
      const unsent = await send(due).catch((error): Unsent => {
        const nowMs = now();
        const nextMs = nextAttemptAt(attempts, nowMs, random(1)[0]! / 256);
        return {
          reason: reasonOf(error),
          pauseMs: nextMs === undefined ? undefined : nextMs - nowMs,
        };
      });
      if (unsent === undefined) return await noteDelivered(sql, deliveryId);
      await noteFailed(sql, deliveryId, unsent);
      onFailed({ channel, id, reason: unsent.reason });
    });
  } while (claimed.length === AT_ONCE);
}

/** A receiver's own words may hold what was sent to it: only codes are kept. */
function reasonOf(error: unknown): string {
  const { code, responseCode, reason } = error as {
    code?: string;
    responseCode?: number;
    reason?: string;
  };
  return [reason, code, responseCode].filter((part) => part !== undefined).join(" ") || "failed";
}
