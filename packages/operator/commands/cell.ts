import { buildRouteMap } from "@stricli/core";
import type { Database } from "@sabika/database";
import { command, switchFlag } from "../command/command.ts";
import { confirm } from "../command/ask.ts";
import { time } from "../command/json.ts";
import { listing } from "../command/listing.ts";
import type { Session } from "../connect/session.ts";
import { RefusedError } from "../outcome.ts";
import { cellCompare } from "./cell_compare.ts";
import { cellMend } from "./cell_mend.ts";

const add = command<object, [string]>({
  brief: "Add a cell, a database for a part of the partners' own rows",
  more:
    "Its database is migrated and subscribes to control's partners (docs/scale.md), and the file\n" +
    "that SABIKA_CELLS_FILE names says where it is.",
  examples: ["cell add b"],
  args: [["NAME", "Lower-case letters, digits and _"]],
  async run(session, _flags, cell) {
    const { addCell } = await import("@sabika/service/moving");
    const { readCellUrlsOf } = await import("../connect/read_cell_urls_of.ts");
    const url = (await readCellUrlsOf(session)).get(cell);
    if (url === undefined) {
      throw new RefusedError("not_found", `SABIKA_CELLS_FILE has no line for "${cell}"`);
    }
    const admin = await (await session.atDatabase()).peopleContext();
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
  brief: "List the cells, how many partners each has, and whether it can be used",
  examples: ["cell list"],
  async run(session) {
    const { listCells } = await import("@sabika/service/moving");
    const { mapConcurrently } = await import("@sabika/database");
    const { sql } = await session.database();
    const entries = await mapConcurrently(await listCells(sql), async (cell) => ({
      ...cell,
      trouble: await (await session.atDatabase()).troubleOf(cell.cellId),
    }));
    return listing(entries, [
      ["cell", "CELL", (entry) => entry.cellId],
      ["partners", "PARTNERS", (entry) => entry.partners],
      ["state", "STATE", (entry) => entry.state],
      ["added_at", "ADDED", (entry) => time(entry.addedAtMs)],
      ["usable", "USABLE", (entry) => entry.trouble === null],
      ["trouble", "TROUBLE", (entry) => entry.trouble],
    ]);
  },
});

const drain = command<{ undo: boolean }, [string]>({
  brief: "Have a cell take no new partners, and list those that are still there",
  more: "Partners that live there trade on; when none is left, the cell can be removed.",
  examples: ["cell drain b", "cell drain b --undo"],
  args: [["NAME", "The cell's"]],
  flags: { undo: switchFlag("It takes new partners again") },
  async run(session, { undo }, cell) {
    const { drainCell } = await import("@sabika/service/moving");
    const admin = await (await session.atDatabase()).peopleContext();
    const partners = await session.actWith(
      admin,
      ["cell.drain", { cell, drains: !undo }],
      (within) => drainCell(within, cell, !undo),
    );
    const state = undo ? "open" : "draining";
    const left = partners.length === 0 ? "no partner is left" : `left: ${partners.join(", ")}`;
    return { json: { cell, state, partners }, text: `the cell ${cell} is ${state}; ${left}\n` };
  },
});

const remove = command<object, [string]>({
  brief: "Remove a cell that is drained and that nothing lives in any more",
  more:
    "Refused while a partner, an act that is not booked or an undelivered event is there. What\n" +
    "is then done by hand, docs/scale.md says. Its name is not used again.",
  examples: ["cell remove b"],
  args: [["NAME", "The cell's"]],
  async run(session, _flags, cell) {
    const { removeCell } = await import("@sabika/service/moving");
    await confirm(session, `Remove the cell ${cell} for good?`);
    const here = await session.atDatabase();
    const database = await here.databaseOf(cell);
    await here.actWith(
      await here.peopleContext(),
      ["cell.remove", { cell }],
      (within) => removeCell(within, cell, database),
    );
    return {
      json: { cell, removed: true },
      text: `the cell ${cell} is removed; take its line out of the servers' file\n`,
    };
  },
});

async function onCell<T>(
  session: Session,
  databaseUrl: string,
  body: (database: Database) => Promise<T>,
): Promise<T> {
  const { openConnection } = await import("../connect/open_connection.ts");
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
  routes: { add, list, compare: cellCompare, mend: cellMend, drain, remove },
});
