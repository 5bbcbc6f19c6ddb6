import type { CellDifference } from "@sabika/core/oversight";
import { setTimeout as pause } from "node:timers/promises";
import { command } from "../command/command.ts";
import { listing } from "../command/listing.ts";

/** `sabika cell compare`: with what control knows of it, as a server does before it serves (Decision D53). */
export const cellCompare = command<object, [string]>({
  act: "cell.read",
  brief: "Compare a cell with what control knows of it: exit 1 and the differences",
  more:
    "Where partners are at home, which acts it has booked, which moves it knows, and its copies of\n" +
    "control's rows. A cell that was restored to an earlier time differs, and no server serves it.\n" +
    "What is under way is no difference; it waits two seconds for what is on its way.",
  examples: ["cell compare b", "cell compare b --json"],
  args: [["NAME", "The cell's"]],
  async run(session, _flags, cellId) {
    const { compareCell } = await import("@sabika/core/oversight");
    const [control, cell] = [await session.database(), await session.databaseOf(cellId)];
    const differences = await compareCell({
      ...{ control: control.sql, cell: cell.sql, cellId },
      pause: (ms) => pause(ms),
    });
    const { json, text } = listDifferences(differences);
    const ok = differences.length === 0;
    return {
      failed: !ok,
      json: { ok, cell: cellId, differences: json },
      text: ok ? `the cell ${cellId} is as control knows it\n` : text,
    };
  },
});

/** The same as a table and as JSON. */
export function listDifferences(differences: readonly CellDifference[]) {
  return listing(differences, [
    ["partner", "PARTNER", (one) => one.clientId],
    ["kind", "KIND", (one) => one.kind],
    ["name", "NAME", (one) => one.name],
    ["id", "ID", (one) => one.id],
  ]);
}
