import { formatHalalas, formatMicrograms, refuse } from "@sabika/protocol";
import {
  type BalanceDifference,
  checkBalances,
  findBalanceDifferences,
  type WrongBalances,
} from "../../ledger/check_balances.ts";
import { eq } from "drizzle-orm";
import type { Database } from "../../store/database.ts";
import { drizzle } from "../../store/drizzle.ts";
import { partners } from "../../store/schema/mod.ts";
import { changePartner } from "../../admin/change.ts";

/** A partner whose balances are wrong, for the log. */
export interface BalanceAlarm {
  readonly clientId: string;
  /** By account: the sum of the transfers and the balance, such as `100.5 SAR, is 101 SAR`. */
  readonly differences: Readonly<Record<string, string>>;
  /** Found for the first time by this round. */
  readonly isNew: boolean;
  /** Suspended by this round. */
  readonly isStopped: boolean;
}

/** The actor of a suspension in the audit log. */
const ACTOR = { who: "reconcile", from: "server" };

/**
 * Checks all balances and suspends the partners whose balances are not the sums of their transfers
 * (fault F26): their calls are refused with `partner_suspended` within a second, on all instances,
 * until an operator has corrected them and resumes the partner. One that is resumed too early is
 * suspended again by the next round.
 *
 * @param parts.everySeconds least time since the last round of any instance
 */
export async function guardBalances(parts: {
  database: Database;
  now: () => number;
  everySeconds: number;
}): Promise<BalanceAlarm[]> {
  const { database, everySeconds } = parts;
  const found = await checkBalances(database.sql, { atLeastSecondsApart: everySeconds }) ?? [];
  const alarms: BalanceAlarm[] = [];
  for (const wrong of found) {
    const [row] = await drizzle(database.sql).select().from(partners)
      .where(eq(partners.partnerId, wrong.partnerId));
    alarms.push(await stop(parts, row!.clientId, wrong));
  }
  return alarms;
}

async function stop(
  { database, now }: { database: Database; now: () => number },
  clientId: string,
  { differences, isNew }: WrongBalances,
): Promise<BalanceAlarm> {
  const admin = { database, now, actor: ACTOR };
  const done = await changePartner(admin, clientId, "partner.suspend", async (sql, partner) => {
    const { partnerId, status } = partner;
    if (status === "suspended") return refuse("invalid_state", "suspended already");
    // From here nothing of the partner moves; check again, in case it was corrected meanwhile.
    await sql`select 1 from accounts where partner_id = ${partnerId} for no key update`;
    const still = await findBalanceDifferences(sql, partnerId);
    if (still.length === 0) return refuse("invalid_state", "nothing is wrong any more");
    await drizzle(sql).update(partners).set({ status: "suspended" })
      .where(eq(partners.partnerId, partnerId));
    return { ok: true, value: null, audit: describe(still) };
  });
  return { clientId, differences: describe(differences), isNew, isStopped: done.ok };
}

function describe(differences: readonly BalanceDifference[]): Record<string, string> {
  return Object.fromEntries(
    differences.map(({ subject, asset, expected, actual }) => {
      const amount = (value: bigint) =>
        asset === "SAR"
          ? `${formatHalalas(value)} SAR`
          : asset === "XAU"
          ? `${formatMicrograms(value)} g`
          : String(value);
      return [subject, `${amount(expected)}, is ${amount(actual)}`];
    }),
  );
}
