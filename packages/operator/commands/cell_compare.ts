import type { CellDifference } from "@sabika/service/mending";
import { setTimeout as pause } from "node:timers/promises";
import { command } from "../command/command.ts";
import { type Column, listing } from "../command/listing.ts";
import type { Session } from "../connect/session.ts";

/** `sabika cell compare`: compares a cell with control, as a server does before it serves (Decision D53). */
export const cellCompare = command<object, [string]>({
  brief: "Compare a cell with what control knows of it: exit 1 and the differences",
  more:
    "Where partners are at home, which acts it has booked, which moves it knows, and its copies of\n" +
    "control's rows. A cell that was restored to an earlier time differs, and no server serves it.\n" +
    "What is under way is no difference; it waits two seconds for what is on its way.",
  examples: ["cell compare b", "cell compare b --json"],
  args: [["NAME", "The cell's"]],
  async run(session, _flags, cellId) {
    const differences = await compareNamed(session, cellId);
    const { json, text } = listDifferences(differences);
    const ok = differences.length === 0;
    return {
      failed: !ok,
      json: { ok, cell: cellId, differences: json },
      text: ok ? `the cell ${cellId} is as control knows it\n` : text,
    };
  },
});

/** Compares the cell of that name with control; returns what differs. */
export async function compareNamed(session: Session, cellId: string): Promise<CellDifference[]> {
  const { compareCell } = await import("@sabika/service/mending");
  const [control, cell] = [
    await session.database(),
    await (await session.atDatabase()).databaseOf(cellId),
  ];
  return await compareCell({
    control: control.sql,
    cell: cell.sql,
    cellId,
    pause: (ms) => pause(ms),
  });
}

/** The columns in which differences are shown. */
export const DIFFERENCE_COLUMNS: readonly Column<CellDifference>[] = [
  ["partner", "PARTNER", (difference) => difference.clientId],
  ["kind", "KIND", (difference) => difference.kind],
  ["name", "NAME", (difference) => difference.name],
  ["id", "ID", (difference) => difference.id],
];

/** Lists differences, as a table and as JSON. */
export function listDifferences(differences: readonly CellDifference[]) {
  return listing(differences, DIFFERENCE_COLUMNS);
}
