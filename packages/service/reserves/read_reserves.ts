import type { PublishedReserve, ReserveOpening } from "@sabika/protocol";
import type { AnySql } from "@sabika/database";
import { riyadhDayStart } from "@sabika/terms";
import type { BankBalance } from "./set_bank.ts";

/** What partners read of reserves, in control. Days are `2026-11-20`; anything else is unknown. */
export interface ReserveReader {
  /** The reserve of a day; undefined if none was made. */
  find(day: string): Promise<PublishedReserve | undefined>;
  /** What a partner's own commitment hides; undefined if it has none. */
  opening(partnerId: number, day: string): Promise<ReserveOpening | undefined>;
}

/** Creates the reader of reserves. */
export function createReserveReader(
  { database: { sql } }: { database: { sql: AnySql } },
): ReserveReader {
  return {
    find: (day) => findReserve(sql, day),
    async opening(partnerId, day) {
      if (riyadhDayStart(day) === undefined) return undefined;
      const [row] = await sql<Omit<ReserveOpening, "day">[]>`
        select client as partner, pool, cash as "cashHalalas", gold as "goldMicrograms", salt
        from find_reserve_opening(${day}::text::date, ${partnerId}::integer)`;
      return row && { ...row, day };
    },
  };
}

/** Reads the reserve of a day from control; undefined if none was made. */
export async function findReserve(sql: AnySql, day: string): Promise<PublishedReserve | undefined> {
  if (riyadhDayStart(day) === undefined) return undefined;
  const [row] = await sql<Omit<PublishedReserve, "isAttested">[]>`
    select body as text, hash,
      (select jws from reserve_signatures s where s.day = r.day and signer = 'operator') as signature,
      (select jws from reserve_attestations a where a.day = r.day) as attestation
    from reserves r where day = ${day}::text::date`;
  return row && { ...row, isAttested: row.attestation !== null };
}

/** A day's reserve in a list. */
export interface ListedReserve {
  /** `2026-11-20`, in Riyadh. */
  readonly day: string;
  /** The SHA-256 of its text. */
  readonly hash: string;
  /** On the bank account, as two people entered it; null if they have not. */
  readonly bankHalalas: bigint | null;
  readonly isSigned: boolean;
  readonly isAttested: boolean;
}

/** Lists reserves from control, the newest first. */
export async function listReserves(
  sql: AnySql,
  { limit, beforeDay }: { readonly limit: number; readonly beforeDay: string | undefined },
): Promise<ListedReserve[]> {
  return await sql<ListedReserve[]>`
    select to_char(day, 'YYYY-MM-DD') as day, hash, b.amount_halalas as "bankHalalas",
      exists (select from reserve_signatures s where s.day = r.day and signer = 'operator') as "isSigned",
      exists (select from reserve_attestations a where a.day = r.day) as "isAttested"
    from reserves r left join reserve_banks b using (day)
    where day < coalesce(${beforeDay ?? null}::text::date, 'infinity')
    order by day desc limit ${limit}::integer`;
}

/** Reads what was on the bank account on days that have no reserve yet, oldest first, and the last day that has one. */
export async function readBanks(
  sql: AnySql,
): Promise<{ readonly lastDay: string | null; readonly banks: readonly BankBalance[] }> {
  const [last] = await sql<{ day: string | null }[]>`
    select to_char(max(day), 'YYYY-MM-DD') as day from reserves`;
  const banks = await sql<BankBalance[]>`
    select to_char(day, 'YYYY-MM-DD') as day, amount_halalas as "amountHalalas" from reserve_banks
    where day > coalesce((select max(day) from reserves), '-infinity') order by day limit 100`;
  return { lastDay: last?.day ?? null, banks };
}

/**
 * Opens all commitments of a day, in control, by client id: for the auditor alone. The audit log has who did.
 *
 * @returns empty when there is no reserve of that day; undefined when `who` is no auditor
 */
export async function openReserve(
  sql: AnySql,
  { day, who, from }: { readonly day: string; readonly who: string; readonly from: string },
): Promise<ReserveOpening[] | undefined> {
  if (riyadhDayStart(day) === undefined) return [];
  try {
    return await sql<ReserveOpening[]>`
      select client as partner, pool, cash as "cashHalalas", gold as "goldMicrograms", salt, ${day}::text as day
      from open_reserve(${day}::text::date, ${who}::text, ${from}::text)`;
  } catch (error) {
    const { constraint_name: constraint } = error as { constraint_name?: string };
    if (constraint === "reserve_open") return undefined;
    throw error;
  }
}
