import { type Violation, withoutCalls } from "../support/history/checker.ts";
import { until } from "../support/until.ts";
import type { Place } from "./places.ts";

/** How long a standby may take to replay what it has. */
const REPLAY_MS = 60_000;

type Searched = Pick<Place, "name" | "database">;

/** How `amcheck` looks at a relation: an index with every row of its table, or a table with what it has in TOAST. */
const LOOKS: Readonly<Record<"index" | "table", string>> = {
  index: "select bt_index_check($1::oid, true)::text as found",
  table: "select msg as found from verify_heapam($1::oid, check_toast => true)",
};

/**
 * Returns a violation of I6 for each table and index whose files are damaged, as `amcheck` finds it, and for pages
 * whose checksums were wrong when they were read: after a crash both must be as if there had been none.
 */
export async function findCorruption(
  primaries: readonly Searched[],
  standbys: readonly Searched[] = [],
): Promise<Violation[]> {
  for (const { database } of primaries) {
    await database.sql`create extension if not exists amcheck`;
  }
  const found = await Promise.all([...primaries, ...standbys].map(corruptionIn));
  return found.flat();
}

async function corruptionIn({ name, database: { sql } }: Searched): Promise<Violation[]> {
  const isThere = async () =>
    (await sql`select from pg_extension where extname = 'amcheck'`).length > 0;
  await until(isThere, REPLAY_MS, `a standby of ${name} replays what its primary has`);
  const relations = await sql<{ oid: number; relation: string; look: keyof typeof LOOKS }[]>`
    select c.oid::integer as oid, c.oid::regclass::text as relation,
      case c.relkind when 'i' then 'index' else 'table' end as look
    from pg_class c left join pg_am a on a.oid = c.relam and c.relkind = 'i'
    where c.relpersistence = 'p'
      and (c.relkind in ('r', 'm', 't') or (c.relkind = 'i' and a.amname = 'btree'))`;
  const wrong: string[] = [];
  for (const { oid, relation, look } of relations) {
    const rows = await sql.unsafe<{ found: string }[]>(LOOKS[look], [oid])
      .catch((error: Error) => [{ found: error.message }]);
    wrong.push(
      ...rows.filter(({ found }) => found !== "").map(({ found }) => `${relation}: ${found}`),
    );
  }
  const [pages] = await sql<{ damaged: number | null }[]>`
    select sum(checksum_failures)::integer as damaged from pg_stat_database`;
  if (pages!.damaged !== 0) {
    wrong.push(`${pages!.damaged ?? "unknown"} pages have a wrong checksum`);
  }
  return wrong.map((what) => withoutCalls("I6", `database of ${name}: ${what}`));
}
