import { judgeEvidence } from "@sabika/protocol";
import type { Database } from "@sabika/database";
import { readSignedFacts } from "@sabika/service/evidence";
import type { Difference } from "@sabika/service/ledger";
import { readSigningKeys } from "@sabika/service/partners";

/** The databases whose evidence is verified. */
export interface EvidenceToRecount {
  /** It has the partners' keys. */
  readonly control: Database;
  readonly cell: Database;
  /** The only partner; left out: all. */
  readonly partnerId?: number;
  /** From the first order, not from where the last recount without a fault ended. */
  readonly whole: boolean;
}

/** Requests may wait for a batch, so the last minutes are verified again by the next recount. */
const AGAIN_MS = 600_000;

/**
 * Verifies that each order, withdrawal and cancellation was signed by its partner (Decision D86), and keeps
 * until when there is no fault.
 */
export async function recountEvidence(
  { control, cell, partnerId, whole }: EvidenceToRecount,
): Promise<Difference[]> {
  const { sql } = cell;
  const partners = await sql<
    { partnerId: number; markMs: number; nowMs: number; mayKeep: boolean }[]
  >`
    select a.partner_id as "partnerId",
      coalesce(extract(epoch from m.verified_until) * 1000, 0)::float8 as "markMs",
      floor(extract(epoch from clock_timestamp()) * 1000)::float8 as "nowMs",
      (select bool_or(has_function_privilege(oid, 'execute')) from pg_proc
        where proname = 'keep_evidence_mark') as "mayKeep"
    from accounts a left join evidence_marks m using (partner_id)
    where ${partnerId ?? null}::integer is null or a.partner_id = ${partnerId ?? null}::integer
    order by 1`;
  const differences: Difference[] = [];
  for (const { partnerId, markMs, nowMs, mayKeep } of partners) {
    const keys = await readSigningKeys(control.sql, partnerId);
    const period = { partnerId, fromMs: whole ? 0 : markMs, untilMs: nowMs + AGAIN_MS };
    const found: Difference[] = [];
    for await (const page of readSignedFacts(sql, period)) {
      const faults = await Promise.all(page.map(async ({ fact, evidence, isDemanded }) => {
        if (evidence === null && !isDemanded) return [];
        const fault = await judgeEvidence(fact, evidence, keys);
        if (fault === undefined) return [];
        const subject = `${fact.kind} ${fact.id}: ${fault}`;
        return [{ check: "evidence" as const, partnerId, subject, expected: 1n, actual: 0n }];
      }));
      for (const fault of faults.flat()) found.push(fault);
    }
    for (const difference of found) differences.push(difference);
    if (found.length === 0 && mayKeep) {
      await sql`select keep_evidence_mark(${partnerId}::integer,
        to_timestamp(${nowMs - AGAIN_MS}::float8 / 1000))`;
    }
  }
  return differences;
}
