import { buildRouteMap } from "@stricli/core";
import { addCell, listCells } from "@sabika/core/admin";
import { CellError, type Database, MAIN_CELL } from "@sabika/core/store";
import { command } from "../command/command.ts";
import { time } from "../command/json.ts";
import { listing } from "../command/listing.ts";
import { openConnection } from "../connect/open_connection.ts";
import { readCellUrlsOf } from "../connect/read_cell_urls_of.ts";
import type { Session } from "../connect/session.ts";
import { RefusedError } from "../outcome.ts";

const add = command<object, [string]>({
  act: "cell.add",
  brief: "Add a cell, a database for a part of the partners' own rows",
  more:
    "Its database is migrated and subscribes to control's partners (docs/scale.md), and the file\n" +
    "that SABIKA_CELLS_FILE names says where it is.",
  examples: ["cell add b"],
  args: [["NAME", "Lower-case letters, digits and _"]],
  async run(session, _flags, cell) {
    const url = (await readCellUrlsOf(session)).get(cell);
    if (url === undefined) {
      throw new RefusedError("not_found", `SABIKA_CELLS_FILE has no line for "${cell}"`);
    }
    const admin = await session.peopleContext();
    await onCell(session, url, (database) =>
      session.actWith(
        admin,
        ["cell.add", { cell }],
        (within) => addCell(within, cell, database),
      ));
    return {
      json: { cell, added: true },
      text: `the cell ${cell} is added; servers that have its URL open it at their next start\n`,
    };
  },
});

const list = command<object, []>({
  act: "cell.read",
  brief: "List the cells, how many partners each has, and whether it can be used",
  examples: ["cell list"],
  async run(session) {
    const { sql } = await session.database();
    const entries = await Promise.all((await listCells(sql)).map(async (one) => ({
      ...one,
      trouble: one.cellId === MAIN_CELL ? null : await troubleOf(session, one.cellId),
    })));
    return listing(entries, [
      ["cell", "CELL", (one) => one.cellId],
      ["partners", "PARTNERS", (one) => one.partners],
      ["added_at", "ADDED", (one) => time(one.addedAtMs)],
      ["usable", "USABLE", (one) => one.trouble === null],
      ["trouble", "TROUBLE", (one) => one.trouble],
    ]);
  },
});

/** Why a cell cannot be used, as seen from here; null when it can. */
async function troubleOf(session: Session, cellId: string): Promise<string | null> {
  try {
    await session.cells.open(cellId);
    return null;
  } catch (error) {
    if (error instanceof CellError) return error.message;
    throw error;
  }
}

async function onCell<T>(
  session: Session,
  databaseUrl: string,
  body: (database: Database) => Promise<T>,
): Promise<T> {
  const isSandbox = await session.environment() === "sandbox";
  const { dataFolder } = session;
  const connection = await openConnection({ databaseUrl, dataFolder, isSandbox });
  try {
    return await body(connection.database);
  } finally {
    await connection.close();
  }
}

/** `sabika cell …` */
export const cell = buildRouteMap({
  docs: { brief: "The databases that partners' own rows are in" },
  routes: { add, list },
});
