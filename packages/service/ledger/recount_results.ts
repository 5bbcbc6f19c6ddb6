import { formatTime } from "@sabika/protocol";
import { desc } from "drizzle-orm";
import { drizzle, type Sql } from "@sabika/database";
import type { Difference, RecountCheck } from "./reconcile.ts";
import { recountResults } from "./tables.ts";

/** A difference with its partner's name; null when it concerns no single partner. */
export interface FoundDifference extends Omit<Difference, "partnerId"> {
  readonly clientId: string | null;
}

/** What a recount of the books found. */
export interface RecountResult {
  /** Who asked for it. */
  readonly who: string;
  /** The one partner that was recounted; null for all. */
  readonly clientId: string | null;
  /** The start of the recount, epoch milliseconds; null for the first transfer. */
  readonly sinceMs: number | null;
  readonly durationMs: number;
  readonly partners: number;
  readonly differences: readonly FoundDifference[];
}

/** A recount's result as it is kept: with only the first of many differences. */
export interface KeptRecount extends RecountResult {
  readonly finishedAtMs: number;
  /** How many differences were found. */
  readonly differenceCount: number;
}

/** How many differences are kept; of the others only their number. */
const KEPT_DIFFERENCES = 100;

/**
 * Keeps the result of a recount in control, beside the 99 before it. A role that may only read can
 * recount as well, but its results are not kept.
 */
export async function keepRecountResult(sql: Sql, result: RecountResult): Promise<void> {
  const [may] = await sql<{ keep: boolean }[]>`
    select bool_or(has_function_privilege(oid, 'execute')) as keep
    from pg_proc where proname = 'keep_recount_result'`;
  if (may!.keep !== true) return;
  const { who, clientId, sinceMs, durationMs, partners, differences } = result;
  const kept = differences.slice(0, KEPT_DIFFERENCES).map((difference) => ({
    ...difference,
    expected: String(difference.expected),
    actual: String(difference.actual),
  }));
  const roundedMs = Math.round(durationMs);
  await sql`select keep_recount_result(${who}, ${clientId},
    ${sinceMs === null ? null : formatTime(sinceMs)}::timestamptz, ${roundedMs}::integer,
    ${partners}::integer, ${differences.length}::integer, ${JSON.stringify(kept)}::text::jsonb)`;
}

/** Lists the results of the last recounts, newest first. */
export async function listRecounts(sql: Sql, limit: number): Promise<KeptRecount[]> {
  const rows = await drizzle(sql).select().from(recountResults)
    .orderBy(desc(recountResults.finishedAt)).limit(limit);
  return rows.map(({ finishedAt, since, differences, ...row }) => ({
    who: row.who,
    clientId: row.clientId,
    durationMs: row.durationMs,
    partners: row.partners,
    finishedAtMs: finishedAt,
    sinceMs: since,
    differenceCount: row.differenceCount,
    differences: differences.map((difference) => ({
      clientId: difference.clientId,
      check: difference.check as RecountCheck,
      subject: difference.subject,
      expected: BigInt(difference.expected),
      actual: BigInt(difference.actual),
    })),
  }));
}
