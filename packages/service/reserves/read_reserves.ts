import type { ReserveOpening } from "@sabika/protocol";
import type { AnySql } from "@sabika/database";

/** A reserve as it is kept. */
export interface KeptReserve {
  /** The canonical JSON. */
  readonly body: string;
  /** Its SHA-256. */
  readonly hash: string;
  /** A compact JWS by the operator; null until it has signed. */
  readonly signature: string | null;
  /** A compact JWS by an auditor that has seen all openings; null until it has signed. */
  readonly attestation: string | null;
}

/** Reads the reserve of a day, `2026-11-20`, from control; undefined if none was made. */
export async function findReserve(sql: AnySql, day: string): Promise<KeptReserve | undefined> {
  const [row] = await sql<KeptReserve[]>`
    select body, hash, (select jws from reserve_signatures s where s.day = r.day and signer = 'operator') as signature,
      (select jws from reserve_signatures s where s.day = r.day and signer = 'auditor') as attestation
    from reserves r where day = ${day}::text::date`;
  return row;
}

/** Reads what a partner's commitment of a day hides, from control; undefined if it has none. */
export async function findReserveOpening(
  sql: AnySql,
  { day, partnerId }: { day: string; partnerId: number },
): Promise<ReserveOpening | undefined> {
  const [row] = await sql<Omit<ReserveOpening, "day">[]>`
    select client as partner, pool, cash as "cashHalalas", gold as "goldMicrograms", salt
    from find_reserve_opening(${day}::text::date, ${partnerId}::integer)`;
  return row && { ...row, day };
}

/** Reads what all commitments of a day hide, from control, by client id; for the auditor alone. */
export async function openReserve(sql: AnySql, day: string): Promise<ReserveOpening[]> {
  return await sql<ReserveOpening[]>`
    select client_id as partner, pool_id as pool, cash_halalas as "cashHalalas",
      gold_micrograms as "goldMicrograms", encode(salt, 'hex') as salt, to_char(day, 'YYYY-MM-DD') as day
    from reserve_openings where day = ${day}::text::date order by client_id collate "C"`;
}
