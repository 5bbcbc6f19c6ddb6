import { decodeHex, encodeHex } from "@sabika/protocol";
import { type Database, mapConcurrently } from "@sabika/database";
import { type EvidenceOfDay, hashDay } from "@sabika/service/evidence";
import type { Difference } from "@sabika/service/ledger";
import { type Databases, inCells } from "./in_cells.ts";

interface KeptDay extends EvidenceOfDay {
  day: string;
  /** Whether the evidence itself is still kept. */
  isKept: boolean;
  requestsNow: bigint | null;
  hashNow: Uint8Array | null;
}

/**
 * Compares the evidence of all closed days with their hashes, and those with what the audit log says (Decision
 * D86).
 */
export async function recountEvidenceDays(databases: Databases): Promise<Difference[]> {
  const { control } = databases;
  const days = (await mapConcurrently(await inCells(databases).all(), readDays)).flat();
  const found: Difference[] = [];
  const report = (partnerId: number | null, subject: string, expected: bigint, actual: bigint) =>
    found.push({ check: "evidence", partnerId, subject, expected, actual });
  for (const { day, partnerId, isKept, requests, requestsNow, hash, hashNow } of days) {
    const isSame = requestsNow === requests && hashNow !== null &&
      encodeHex(hashNow) === encodeHex(hash);
    if (isKept && !isSame) report(partnerId, `day ${day}: changed`, requests, requestsNow ?? 0n);
  }
  const closed = await control.sql<{ day: string; requests: bigint; sha256: string | null }[]>`
    select to_char(c.day, 'YYYY-MM-DD') as day, c.requests,
      (select e.detail::jsonb ->> 'sha256' from audit_log e where e.action = 'evidence.closed'
        and e.detail::jsonb ->> 'day' = to_char(c.day, 'YYYY-MM-DD') limit 1) as sha256
    from closed_evidence c where c.requests > 0 order by 1`;
  for (const { day, requests, sha256 } of closed) {
    const now = await hashDay(days.filter((kept) => kept.day === day));
    const isSame = sha256 !== null && decodeHex(sha256) !== undefined &&
      encodeHex(now.hash) === sha256;
    if (!isSame) report(null, `day ${day}: not as the audit log says`, requests, now.requests);
  }
  return found;
}

async function readDays({ sql }: Database): Promise<KeptDay[]> {
  return await sql<KeptDay[]>`
    select to_char(d.day, 'YYYY-MM-DD') as day, d.partner_id as "partnerId", d.requests, d.hash,
      to_regclass('evidence_' || to_char(d.day::timestamp - interval '3 hours', 'YYYYMM')) is not null
        and to_regclass('evidence_' || to_char(d.day + interval '21 hours', 'YYYYMM')) is not null
        as "isKept",
      h.requests as "requestsNow", h.hash as "hashNow"
    from evidence_days d join accounts a using (partner_id)
    left join lateral hash_evidence(d.partner_id, d.day) h on true
    order by 1, 2`;
}
