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

/** How many are sent at once; also how many a claim takes, so that each begins well within its lease. */
const AT_ONCE = 8;
/** Longer than any attempt may take. */
const LEASE_SECONDS = 60;

/**
 * Sends what is due by one channel. An attempt that fails is repeated on the schedule of webhooks
 * (Decision D35), for a day.
 *
 * @param send sends one; rejects when it did not arrive. `{ reason }`: it is not to be sent any more
 */
export async function sendDue(
  { sql, now, random, onFailed }: SendingParts,
  channel: "mail" | "webhook",
  send: (due: DueNotification) => Promise<void | { readonly reason: string }>,
): Promise<void> {
  let claimed: DueNotification[];
  do {
    claimed = await claimDeliveries(sql, channel, { limit: AT_ONCE, leaseSeconds: LEASE_SECONDS });
    await mapConcurrently(claimed, async (due) => {
      const { deliveryId, attempts, id } = due;
      try {
        const unsent = await send(due);
        if (unsent === undefined) await noteDelivered(sql, deliveryId);
        else await noteFailed(sql, deliveryId, { ...unsent, pauseMs: undefined });
      } catch (error) {
        const reason = reasonOf(error);
        onFailed({ channel, id, reason });
        const nowMs = now();
        const nextMs = nextAttemptAt(attempts, nowMs, random(1)[0]! / 256);
        const pauseMs = nextMs === undefined ? undefined : nextMs - nowMs;
        await noteFailed(sql, deliveryId, { reason, pauseMs });
      }
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
