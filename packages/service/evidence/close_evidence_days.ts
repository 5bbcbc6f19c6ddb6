import { encodeHex, encodeUtf8 } from "@sabika/protocol";
import type { AnySql, Database } from "@sabika/database";
import { riyadhDay, riyadhDayStart } from "@sabika/terms";

const DAY_MS = 86_400_000;
/** How long after its end in Riyadh a day is closed. */
const CLOSED_AFTER_MS = 3_600_000;

/** A partner's evidence of a day. */
export interface EvidenceOfDay {
  readonly partnerId: number;
  readonly requests: bigint;
  readonly hash: Uint8Array;
}

/** The databases whose days are closed: control, and all cells with control's own. */
export interface EvidenceCells {
  readonly control: Database;
  readonly cells: readonly Database[];
}

/**
 * Closes the days that ended more than an hour ago, oldest first: keeps the hash of each partner's evidence in
 * its cell and that of all in the audit log (Decision D86). Several instances may do this at once.
 *
 * @param nowMs by the database's clock
 * @throws the error of a cell that does not answer, or an error while a partner is in none of the cells or is moving;
 *   the days are closed later
 */
export async function closeEvidenceDays(parts: EvidenceCells, nowMs: number): Promise<void> {
  const { control, cells } = parts;
  const [row] = await control.sql<{ first: string | null }[]>`
    select to_char(coalesce((select max(day) + 1 from closed_evidence),
      (evidence_since() at time zone 'UTC' + interval '3 hours')::date), 'YYYY-MM-DD') as first`;
  if (row?.first == null) return;
  let homes: string | undefined;
  for (
    let startMs = riyadhDayStart(row.first)!;
    startMs + DAY_MS + CLOSED_AFTER_MS <= nowMs;
    startMs += DAY_MS
  ) {
    const day = riyadhDay(startMs);
    homes ??= await readHomes(parts);
    const closed = await Promise.all(
      cells.map(({ sql }) =>
        sql<EvidenceOfDay[]>`select partner as "partnerId", requests, hash
        from close_evidence_day(${day}::text::date)`
      ),
    );
    // A partner that moved meanwhile may be in the hash twice, or not at all.
    if (await readHomes(parts) !== homes) throw new Error("a partner moves: no day is closed");
    const { requests, hash } = await hashDay(closed.flat());
    await control.sql`select record_evidence_day(${day}::text::date, ${requests}::bigint,
      decode(${encodeHex(hash)}, 'hex'))`;
  }
}

/**
 * Reads which partners are at home in each cell.
 *
 * @throws Error unless each that control knows is in exactly one
 */
async function readHomes({ control, cells }: EvidenceCells): Promise<string> {
  const [all] = await control.sql<{ partners: number }[]>`
    select count(*)::int as partners from partners`;
  const homes = await Promise.all(cells.map(async ({ sql }) => {
    const rows = await sql<{ id: number }[]>`select partner_id as id from accounts order by 1`;
    return rows.map(({ id }) => id);
  }));
  const found = homes.flat();
  if (found.length !== all!.partners || new Set(found).size !== found.length) {
    throw new Error("not every partner is in one of the cells: no day is closed");
  }
  return homes.join("; ");
}

/** The hash of a day: SHA-256 over a line for each partner, in their order: number, requests, hash in hex. */
export async function hashDay(
  partners: readonly EvidenceOfDay[],
): Promise<{ requests: bigint; hash: Uint8Array }> {
  const lines = partners.toSorted((a, b) => a.partnerId - b.partnerId)
    .map(({ partnerId, requests, hash }) => `${partnerId} ${requests} ${encodeHex(hash)}\n`);
  const hash = await crypto.subtle.digest("SHA-256", encodeUtf8(lines.join("")));
  return {
    requests: partners.reduce((sum, { requests }) => sum + requests, 0n),
    hash: new Uint8Array(hash),
  };
}

/** Drops the evidence of months that ended before the retention; their hashes stay. */
export async function dropEvidence(sql: AnySql, retentionDays: number): Promise<void> {
  await sql`select drop_evidence(${retentionDays}::integer)`;
}
