import type { PublishedReserve, ReserveOpening } from "@sabika/protocol";
import type { AnySql } from "@sabika/database";
import { riyadhDayStart } from "../ledger/statement.ts";

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
      (select jws from reserve_signatures s where s.day = r.day and signer = 'auditor') as attestation
    from reserves r where day = ${day}::text::date`;
  return row && { ...row, isAttested: row.attestation !== null };
}

/** Reads what all commitments of a day hide, from control, by client id; for the auditor alone. */
export async function openReserve(sql: AnySql, day: string): Promise<ReserveOpening[]> {
  return await sql<ReserveOpening[]>`
    select client_id as partner, pool_id as pool, cash_halalas as "cashHalalas",
      gold_micrograms as "goldMicrograms", encode(salt, 'hex') as salt, to_char(day, 'YYYY-MM-DD') as day
    from reserve_openings where day = ${day}::text::date order by client_id collate "C"`;
}
