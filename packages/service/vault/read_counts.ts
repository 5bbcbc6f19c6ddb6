import { desc, eq, inArray, sql as expression } from "drizzle-orm";
import { type AnySql, drizzle, type Sql } from "@sabika/database";
import type { CountLine } from "./counts.ts";
import { vaultCountLines, vaultCounts } from "./tables.ts";

/** A count in figures; fine weights in micrograms. */
export interface VaultCount {
  readonly countId: string;
  /** Null for the whole vault. */
  readonly place: string | null;
  readonly countedAtMs: number;
  readonly countedBy: string;
  /** The bars of the list. */
  readonly expected: number;
  readonly expectedMicrograms: bigint;
  /** The bars of the list that were seen, those of another weight too. */
  readonly found: number;
  readonly foundMicrograms: bigint;
  readonly missing: number;
  readonly unexpected: number;
  readonly different: number;
}

/** A count with its bars: those that differ first, then by serial. */
export interface VaultCountWhole extends VaultCount {
  readonly lines: readonly CountLine[];
}

const lines = vaultCountLines;
const fine = (weight: unknown) => expression`${weight} * ${lines.finenessTenThousandths} / 10000`;
const bars = (condition: unknown) =>
  expression<number>`count(*) filter (where ${condition})::integer`;
const total = (micrograms: unknown) =>
  expression<bigint>`coalesce(sum(${micrograms}), 0)::bigint`.mapWith(BigInt);

const FIGURES = {
  countId: vaultCounts.countId,
  place: vaultCounts.place,
  countedAtMs: vaultCounts.countedAt,
  countedBy: vaultCounts.countedBy,
  expected: bars(expression`${lines.weightMicrograms} is not null`),
  expectedMicrograms: total(fine(lines.weightMicrograms)),
  found: bars(expression`${lines.finding} in ('found', 'different')`),
  foundMicrograms: total(
    expression`case when ${lines.isSeen} then ${
      fine(expression`coalesce(${lines.weighedMicrograms}, ${lines.weightMicrograms})`)
    } end`,
  ),
  missing: bars(expression`${lines.finding} = 'missing'`),
  unexpected: bars(expression`${lines.finding} = 'unexpected'`),
  different: bars(expression`${lines.finding} = 'different'`),
};

/** Lists counts, the newest first; `before` is the id of a count that those listed come after. */
export async function listCounts(
  sql: Sql,
  { limit, before }: { readonly limit: number; readonly before?: string | undefined },
): Promise<VaultCount[]> {
  const db = drizzle(sql);
  const newestFirst = [desc(vaultCounts.countedAt), desc(vaultCounts.countId)];
  // Only their bars are added up.
  const listed = db.select({ countId: vaultCounts.countId }).from(vaultCounts)
    .where(
      before === undefined
        ? undefined
        : expression`(${vaultCounts.countedAt}, ${vaultCounts.countId}) <
          (select counted_at, count_id from vault_counts where count_id = ${before})`,
    )
    .orderBy(...newestFirst).limit(limit);
  return await db.select(FIGURES).from(vaultCounts)
    .leftJoin(lines, eq(lines.countId, vaultCounts.countId))
    .where(inArray(vaultCounts.countId, listed))
    .groupBy(vaultCounts.countId).orderBy(...newestFirst);
}

/** Finds a count by its id, a UUID; undefined when there is none. */
export async function findCount(sql: Sql, countId: string): Promise<VaultCountWhole | undefined> {
  const db = drizzle(sql);
  const [count] = await db.select(FIGURES).from(vaultCounts)
    .leftJoin(lines, eq(lines.countId, vaultCounts.countId))
    .where(eq(vaultCounts.countId, countId)).groupBy(vaultCounts.countId);
  if (count === undefined) return undefined;
  const rows = await db.select().from(lines).where(eq(lines.countId, countId))
    .orderBy(expression`${lines.finding} = 'found'`, lines.serial);
  return { ...count, lines: rows.map(({ countId: _, ...line }) => line) };
}

/** A difference that a count found and that the vault's record still has. */
export interface OpenDifference {
  readonly serial: string;
  readonly finding: "missing" | "unexpected" | "different";
  /** Where the bar is recorded, else where it was counted; null if neither says. */
  readonly place: string | null;
  readonly countId: string;
  readonly countedAtMs: number;
}

/**
 * Lists the differences that are still open, by serial. One is settled by an act that makes the record say what was
 * seen, such as removing the bar, and by a later count that covers its place.
 */
export async function listOpenDifferences(sql: AnySql): Promise<OpenDifference[]> {
  return await sql<OpenDifference[]>`
    select l.serial, l.finding, coalesce(b.place, c.place) as place, c.count_id as "countId",
      (extract(epoch from c.counted_at) * 1000)::float8 as "countedAtMs"
    from vault_count_lines l join vault_counts c using (count_id)
    left join vault_bars b on b.serial = l.serial and b.removed_at is null
    where l.finding <> 'found'
      and case l.finding
        when 'missing' then b.added_at <= c.counted_at and (c.place is null or b.place = c.place)
        when 'different' then b.weight_micrograms = l.weight_micrograms
        else b.serial is null or b.place <> c.place end
      and not exists (select from vault_counts later
        where (later.counted_at, later.count_id) > (c.counted_at, c.count_id)
          and (later.place is null or later.place = coalesce(c.place, b.place)))
    order by l.serial, c.counted_at`;
}

/** The places where bars are recorded, in their order. */
export async function listPlaces(sql: AnySql): Promise<string[]> {
  const rows = await sql<{ place: string }[]>`
    select distinct place from vault_bars where removed_at is null and place is not null order by 1`;
  return rows.map(({ place }) => place);
}
