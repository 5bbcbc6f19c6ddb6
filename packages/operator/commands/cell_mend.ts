import { confirm } from "../command/ask.ts";
import { command } from "../command/command.ts";
import { listing } from "../command/listing.ts";
import { RefusedError } from "../outcome.ts";
import { compareNamed, DIFFERENCE_COLUMNS, listDifferences } from "./cell_compare.ts";

/** `sabika cell mend`: makes a restored cell agree with control again (Decision D53). */
export const cellMend = command<object, [string]>({
  brief: "Bring a restored cell to what control knows of it: exit 1 and what still differs",
  more:
    "Acts are booked again under their ids, who lives elsewhere leaves, who came from another cell\n" +
    "comes again as it left that one, who was admitted meanwhile gets new accounts. Its copies of\n" +
    "control's rows come first, as docs/scale.md says. Broken off, it is given again.",
  examples: ["cell mend b", "cell mend b --yes"],
  args: [["NAME", "The cell's"]],
  async run(session, _flags, cellId) {
    const { mendCell, recordMending, summariseDifferences } = await import(
      "@sabika/service/mending"
    );
    const here = await session.atDatabase();
    const [control, cell] = [await here.database(), await here.databaseOf(cellId)];
    const differences = await compareNamed(session, cellId);
    if (differences.length === 0) {
      const text = `the cell ${cellId} is as control knows it\n`;
      return { json: { ok: true, cell: cellId, mended: [], differences: [] }, text };
    }
    if (differences.some(({ kind }) => kind === "copy")) {
      throw new RefusedError(
        "invalid_state",
        `${summariseDifferences(differences)}: make its subscription anew first (docs/scale.md)`,
      );
    }
    await confirm(session, `${summariseDifferences(differences)}: mend the cell ${cellId}?`);
    const admin = await here.peopleContext();
    await session.actWith(
      admin,
      ["cell.mend", { cell: cellId }],
      (within) => recordMending(within, cellId, differences),
    );
    const { surroundings: { random } } = session;
    const mended = listing(
      await mendCell({
        control,
        cell,
        cellId,
        random,
        databaseOf: (name) => here.databaseOf(name),
        now: () => session.nowMs,
      }, differences),
      [...DIFFERENCE_COLUMNS, ["outcome", "OUTCOME", (difference) => difference.outcome]],
    );
    const left = await compareNamed(session, cellId);
    const still = listDifferences(left);
    return {
      failed: left.length > 0,
      json: { ok: left.length === 0, cell: cellId, mended: mended.json, differences: still.json },
      text: mended.text + (left.length === 0 ? "" : `\nwhat still differs:\n${still.text}`),
    };
  },
});
