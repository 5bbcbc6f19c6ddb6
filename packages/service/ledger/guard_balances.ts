import { formatHalalas, formatMicrograms } from "@sabika/protocol";
import { classifyFailure, type Database, drizzle } from "@sabika/database";
import { partners } from "../partners/tables.ts";
import { type BalanceDifference, checkBalances } from "./check_balances.ts";
import { eq } from "drizzle-orm";

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

/**
 * Checks all balances and suspends the partners whose balances are not the sums of their transfers
 * (fault F26): their calls are refused with `partner_suspended` within a second, on all instances,
 * until an operator has corrected them and resumes the partner. If it is resumed too early,
 * the next round suspends it again. While control is away they are found, and a later round suspends them.
 *
 * @param options.database a cell's
 * @param options.control where partners are suspended, if it is another
 * @param options.everySeconds least time since the last round of any instance
 * @returns undefined when it is not this instance's turn
 */
export async function guardBalances(
  { database, control = database, everySeconds }: {
    database: Database;
    control?: Database;
    everySeconds: number;
  },
): Promise<BalanceAlarm[] | undefined> {
  const { sql } = database;
  const found = await checkBalances(sql, { atLeastSecondsApart: everySeconds });
  if (found === undefined) return undefined;
  const alarms: BalanceAlarm[] = [];
  for (const { partnerId, isNew, differences: wrong } of found) {
    const [partner] = await drizzle(sql).select().from(partners)
      .where(eq(partners.partnerId, partnerId));
    const differences = describe(wrong);
    const detail = JSON.stringify({ from: "server", ...differences });
    const isStopped = await suspend(control, partnerId, detail);
    alarms.push({ clientId: partner!.clientId, differences, isNew, isStopped });
  }
  return alarms;
}

/** Whether this suspended the partner; false also while control is away. */
async function suspend({ sql }: Database, partnerId: number, detail: string): Promise<boolean> {
  try {
    const [row] = await sql<{ isStopped: boolean }[]>`
      select suspend_for_balances(${partnerId}::integer, ${detail}) as "isStopped"`;
    return row!.isStopped;
  } catch (error) {
    if (/away|lost/.test(classifyFailure(error))) return false;
    throw error;
  }
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
