import { assertEquals } from "@std/assert";
import type { Database, Transaction } from "@sabika/database";
import { IDS } from "./names.ts";

/**
 * Statements that change a written ledger by force, and the differences that a recount then finds. Each difference is a
 * line: check, partner, subject, expected, actual; lines of one string have `; ` between them. Those after `whole: ` are
 * found by a whole recount only, those after `new: ` only by one of new rows.
 */
export type Change = readonly [
  title: string,
  statements: readonly string[],
  found: readonly string[],
];

/** An open quote has the id of an order, which is named here. */
const NAMES = new Map(
  Object.values(IDS).reverse().flatMap((ids) =>
    Object.entries(ids).map(([name, id]) => [id, name] as const)
  ),
);

/**
 * Runs a recount's statement after others, all in a transaction that is rolled back, as a superuser can.
 *
 * @param recounts the statement's parameters, for each time that it runs
 * @returns for each time the sorted lines of the differences, with the names of `IDS`
 */
export async function findDifferences(
  { sql }: Database,
  statement: string,
  recounts: readonly (readonly (number | boolean | null)[])[],
  changes: readonly string[],
): Promise<string[][]> {
  const found: string[][] = [];
  const undone = new Error("undone");
  const run = async (tx: Transaction) => {
    await tx.unsafe(`set local session_replication_role = replica; set local jit = off;
      set local search_path = public, pg_catalog; ${changes.join(";")}`);
    for (const parameters of recounts) {
      const rows = await tx.unsafe(statement, [...parameters], { prepare: true });
      found.push(rows.map(toLine).sort());
    }
    throw undone;
  };
  await sql.begin(run).catch((error) => {
    if (error !== undone) throw error;
  });
  return found;
}

/** Asserts what recounts of the ledger find after each change: whole ones and those of new rows, of all and of one. */
export async function assertFound(
  database: Database,
  statement: string,
  changes: readonly Change[],
): Promise<void> {
  const recounts = [[null, false], [null, true], [1, false], [2, true]] as const;
  for (const [title, statements, found] of changes) {
    const [whole, since, ofFirst, ofSecond] = await findDifferences(
      database,
      statement,
      recounts,
      statements,
    );
    const lines = (other: string) => linesOf(found.filter((text) => !text.startsWith(other)));
    const [inAll, inNew] = [lines("new: "), lines("whole: ")];
    assertEquals(whole, withUnpriced(inAll, [1, 2, 3]), `${title}: whole`);
    // The third partner has no recount that is kept.
    assertEquals(since, withUnpriced(inNew, [3]), `${title}: new rows`);
    assertEquals(ofFirst!.filter(isOf(1)), whole!.filter(isOf(1)), `${title}: the first partner`);
    assertEquals(ofSecond!.filter(isOf(2)), since!.filter(isOf(2)), `${title}: the second partner`);
    assertEquals(ofFirst!.filter(isOf(2)), [], title);
  }
}

function toLine(row: Record<string, unknown>): string {
  return Object.values(row).map((value) => value ?? "-").join(" ")
    .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, (id) => NAMES.get(id) ?? "unknown")
    .replace(/transaction \d+/, "a transaction");
}

const linesOf = (found: readonly string[]): string[] =>
  found.flatMap((text) => text.replace(/^(whole|new): /, "").split("; "));

const isOf = (partnerId: number) => (line: string) => line.split(" ")[1] === String(partnerId);

/** Adds how many orders have no price, which is no difference, for partners of which a change says nothing else. */
function withUnpriced(lines: readonly string[], partners: readonly number[]): string[] {
  const known = partners.filter((partner) =>
    !lines.some((line) => line.startsWith(`unpriced ${partner} `))
  );
  return [...lines, ...known.map((partner) => `unpriced ${partner} orders 0 2`)].sort();
}
