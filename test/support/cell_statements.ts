import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { Sql } from "@sabika/database";
import { until } from "./until.ts";

const PAGE = fileURLToPath(new URL("../../docs/scale.md", import.meta.url));
const PATIENCE_MS = 60_000;
/** How many tables a cell copies from control. */
const COPIED_TABLES = 7;

/** Sections of docs/scale.md that have statements. */
export type CellSection =
  | "## Add a cell"
  | "### When control is promoted"
  | "## A cell that was restored";

/**
 * Reads the statements of each block of SQL in a section of docs/scale.md.
 *
 * @param cellId replaces the page's `b`
 * @param connection libpq connection string by which the cell reaches control
 */
export async function readCellStatements(
  section: CellSection,
  { cellId = "b", connection }: { readonly cellId?: string; readonly connection: string },
): Promise<string[][]> {
  const [, text] = (await readFile(PAGE, "utf8")).split(section);
  const blocks = text!.split(/^## /m)[0]!.matchAll(/^```sql\n([^]*?)^```$/gm);
  return [...blocks].map(([, block]) =>
    block!.replace(/'host=[^']*'/, `'${connection}'`)
      .replaceAll(/\b(sabika|sabika_acts)_b\b/g, `$1_${cellId}`)
      .split(";").map((statement) => statement.trim()).filter((statement) => statement !== "")
  );
}

/** Executes statements one after the other, each in its own transaction. */
export async function runAll(sql: Sql, statements: readonly string[]): Promise<void> {
  for (const statement of statements) await sql.unsafe(statement);
}

/** Waits until a cell has made its first copy of control's tables; throws Error after 60 s. */
export async function untilCopied(cell: Sql): Promise<void> {
  const isCopied = async () =>
    (await cell`select from pg_subscription_rel where srsubstate = 'r'`).length === COPIED_TABLES;
  await until(isCopied, PATIENCE_MS, "the cell has copied control's rows");
}
