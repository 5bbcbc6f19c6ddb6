import { refuse } from "@sabika/protocol";
import { type AnySql, drizzle, textArray } from "@sabika/database";
import {
  type AdminOutcome,
  type REFINER_LISTS,
  type RefinerList,
  riyadhDayStart,
} from "@sabika/terms";
import type { AdminContext } from "../audit/admin_context.ts";
import { writeAudit } from "../audit/audit.ts";
import { inTransaction } from "../audit/change.ts";
import { office } from "../audit/people_tables.ts";
import { actIdOf } from "../audit/warrant.ts";
import type { NewBar } from "./bars.ts";
import { lockVault } from "./lock_vault.ts";

/** A refiner on a list (Decision D109). */
export interface ListedRefiner {
  readonly list: (typeof REFINER_LISTS)[number];
  /** As bars name it. */
  readonly refiner: string;
  /** The first day and the last, such as `2026-11-20`, in Riyadh; the last is null while there is none. */
  readonly fromDay: string;
  readonly untilDay: string | null;
  /** Of the document about its responsible sourcing. */
  readonly documentSha256: string;
  readonly listedAtMs: number;
}

/** What becomes of a bar whose refiner is on no list. */
export const UNLISTED_BARS = ["refuse", "take_in"] as const;

const NO_DAY = "not a day, such as 2027-01-01";

/** Puts a refiner on a list, for good or until it is ended. */
export function addRefiner(
  admin: AdminContext,
  listed: Pick<ListedRefiner, "list" | "refiner" | "fromDay" | "documentSha256">,
): Promise<AdminOutcome<null>> {
  return inTransaction<null>(admin, async (sql) => {
    if (riyadhDayStart(listed.fromDay) === undefined) return refuse("invalid_setting", NO_DAY);
    // Bars come in before or after it.
    await lockVault(sql);
    const { list, refiner, fromDay, documentSha256 } = listed;
    const overlapping = await sql`select from refiners where list = ${list} and refiner = ${refiner}
      and coalesce(until_day, 'infinity') >= ${fromDay}::text::date`;
    if (overlapping.length > 0) {
      return refuse("already_exists", `${refiner} is on that list on that day or later`);
    }
    await sql`insert into refiners (list, refiner, from_day, document_sha256, act_id)
      values (${list}, ${refiner}, ${fromDay}::text::date, ${documentSha256}, ${
      actIdOf(admin)
    }::uuid)`;
    const detail = { list, refiner, from: fromDay, document: documentSha256 };
    await writeAudit(sql, admin, "refiner.add", null, detail);
    return { ok: true, value: null };
  });
}

/** Ends a refiner's time on a list with a day, the last; bars that came in before say what they said. */
export function endRefiner(
  admin: AdminContext,
  { list, refiner, untilDay }: { list: ListedRefiner["list"]; refiner: string; untilDay: string },
): Promise<AdminOutcome<null>> {
  return inTransaction<null>(admin, async (sql) => {
    if (riyadhDayStart(untilDay) === undefined) return refuse("invalid_setting", NO_DAY);
    await lockVault(sql);
    const ended = await sql`update refiners set until_day = ${untilDay}::text::date
      where list = ${list} and refiner = ${refiner} and until_day is null and from_day <= ${untilDay}::text::date
      returning refiner`;
    if (ended.length === 0) {
      return refuse("not_found", `${refiner} is not on that list on that day`);
    }
    await writeAudit(sql, admin, "refiner.end", null, { list, refiner, until: untilDay });
    return { ok: true, value: null };
  });
}

/** Sets what becomes of bars whose refiner is on no list. */
export function setUnlistedBars(
  admin: AdminContext,
  unlistedBars: (typeof UNLISTED_BARS)[number],
): Promise<AdminOutcome<null>> {
  return inTransaction<null>(admin, async (sql) => {
    await lockVault(sql);
    await drizzle(sql).update(office).set({ unlistedBars });
    await writeAudit(sql, admin, "refiner.unlisted", null, { unlisted: unlistedBars });
    return { ok: true, value: null };
  });
}

/** Reads the refiners that were ever on a list: by name, the newest time first. */
export async function readRefiners(sql: AnySql): Promise<ListedRefiner[]> {
  return await sql<ListedRefiner[]>`
    select list, refiner, to_char(from_day, 'YYYY-MM-DD') as "fromDay", to_char(until_day, 'YYYY-MM-DD') as "untilDay",
      document_sha256 as "documentSha256", (extract(epoch from listed_at) * 1000)::float8 as "listedAtMs"
    from refiners order by refiner collate "C", list, from_day desc`;
}

/** Reads the lists that refiners are on today, in control. */
export async function readListsOf(
  sql: AnySql,
  names: readonly string[],
): Promise<Map<string, RefinerList>> {
  const rows = await sql<{ refiner: string; list: RefinerList | null }[]>`
    select u.refiner, (select list from list_of_refiner(u.refiner)) as list
    from (select distinct unnest(${textArray([...names])}::text[]) as refiner) u`;
  return new Map(rows.map(({ refiner, list }) => [refiner, list ?? "unlisted"]));
}

/** Reads whether bars come in whose refiner is on no list. */
async function takesUnlistedBars(sql: AnySql): Promise<boolean> {
  const [row] = await sql<{ takes: boolean }[]>`select takes_unlisted_bars() as takes`;
  return row!.takes;
}

/**
 * Says of each of several new bars why its refiner keeps it out: it is not on the list that is said, or on none while
 * such bars are not taken in; undefined where it does not.
 */
export async function checkRefiners(
  sql: AnySql,
  bars: readonly NewBar[],
): Promise<(string | undefined)[]> {
  const lists = await readListsOf(sql, bars.map(({ refiner }) => refiner));
  const takesAll = await takesUnlistedBars(sql);
  return bars.map(({ refiner, serial, list }) => {
    const found = lists.get(refiner) ?? "unlisted";
    if (!["unlisted", undefined, found].includes(list)) {
      return `the refiner of ${serial} is not on the list that is said`;
    }
    return found === "unlisted" && !takesAll ? `the refiner of ${serial} is on no list` : undefined;
  });
}
