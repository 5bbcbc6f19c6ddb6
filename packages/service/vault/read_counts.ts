import { encodeUtf8, sha256Hex } from "@sabika/protocol";
import { desc, eq, inArray, sql as expression } from "drizzle-orm";
import { type AnySql, drizzle, type Sql } from "@sabika/database";
import type { CountLine } from "./counts.ts";
import { writeCount } from "./write_count.ts";
import { findInspection, type Inspection } from "./find_inspection.ts";
import { vaultCountLines, vaultCounts } from "./tables.ts";

/** A count in figures; fine weights in micrograms. */
export interface VaultCount {
  readonly countId: string;
  /** Null for the whole vault. */
  readonly place: string | null;
  readonly countedAtMs: number;
  readonly countedBy: string;
  /** When two people accepted what it found (Decision D104); null if they did not. */
  readonly acceptedAtMs: number | null;
  /** The pool and its version that were counted (Decision D104); null for counts that name none. */
  readonly poolId: string | null;
  readonly version: number | null;
  /** The bars of the list. */
  readonly expected: number;
  readonly expectedMicrograms: bigint;
  /** The bars of the list that were seen, those of another weight too. */
  readonly found: number;
  readonly foundMicrograms: bigint;
  readonly missing: number;
  readonly unexpected: number;
  readonly different: number;
  /** Whose key the inspector signed it with (Decision D106); null while none has. */
  readonly inspectedBy: string | null;
}

/** A count with its bars: those that differ first, then by serial. */
export interface VaultCountWhole extends VaultCount {
  readonly lines: readonly CountLine[];
  /** Its canonical JSON, which an inspector signs; null if it names no pool. */
  readonly text: string | null;
  /** The SHA-256 of that. */
  readonly sha256: string | null;
  /** What proves that an inspector signed it; null while none has. */
  readonly inspection: Inspection | null;
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
  acceptedAtMs: expression<number | null>`(
    select (extract(epoch from accepted_at) * 1000)::float8 from vault_count_acceptances a
    where a.count_id = vault_counts.count_id)`,
  poolId: vaultCounts.poolId,
  version: vaultCounts.version,
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
  inspectedBy: expression<string | null>`(
    select k.holder from vault_count_signatures s join attestation_keys k using (key_id)
    where s.count_id = vault_counts.count_id)`,
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
export async function findCount(
  sql: AnySql,
  countId: string,
): Promise<VaultCountWhole | undefined> {
  const db = drizzle(sql);
  const [count] = await db.select(FIGURES).from(vaultCounts)
    .leftJoin(lines, eq(lines.countId, vaultCounts.countId))
    .where(eq(vaultCounts.countId, countId)).groupBy(vaultCounts.countId);
  if (count === undefined) return undefined;
  const rows = await db.select().from(lines).where(eq(lines.countId, countId))
    .orderBy(expression`${lines.finding} = 'found'`, lines.serial);
  const found = { ...count, lines: rows.map(({ countId: _, ...line }) => line) };
  const { poolId } = count;
  const text = poolId === null ? null : writeCount({ ...found, poolId });
  const sha256 = text === null ? null : await sha256Hex(encodeUtf8(text));
  return { ...found, text, sha256, inspection: await findInspection(sql, countId) };
}

/** A difference that a count found and that the vault's record still has. */
export interface OpenDifference {
  readonly serial: string;
  readonly finding: "missing" | "unexpected" | "different";
  /** Where the bar is recorded, else where it was counted; null if neither says. */
  readonly place: string | null;
  readonly countId: string;
  readonly countedAtMs: number;
  /** The pool from which nothing is allocated meanwhile. */
  readonly poolId: string;
}

/**
 * Lists the differences that are still open, by serial. One is settled by an act that makes the record say what was
 * seen, such as removing the bar, by a later count of it that an inspector signed, and by two people who accept it.
 */
export async function listOpenDifferences(sql: AnySql): Promise<OpenDifference[]> {
  return await sql<OpenDifference[]>`
    select serial, finding, place, count_id as "countId", pool_id as "poolId",
      (extract(epoch from counted_at) * 1000)::float8 as "countedAtMs"
    from open_differences(null) order by serial, counted_at`;
}

/** The places where bars are recorded, in their order. */
export async function listPlaces(sql: AnySql): Promise<string[]> {
  const rows = await sql<{ place: string }[]>`
    select distinct place from vault_bars where removed_at is null and place is not null order by 1`;
  return rows.map(({ place }) => place);
}
