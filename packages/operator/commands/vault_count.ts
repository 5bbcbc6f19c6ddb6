import { buildRouteMap } from "@stricli/core";
import { command, neededFlag, textFlag } from "../command/command.ts";
import { text } from "../command/parsers.ts";
import { readCommands } from "../command/read_commands.ts";
import { several } from "../command/several.ts";

interface Flags {
  readonly place?: string;
  readonly pool?: string;
  readonly bar?: readonly string[];
  readonly unexpected?: readonly string[];
}

const record = command<Flags, []>({
  brief: "Record a count: which bars were seen in a place, or in the whole vault",
  more: "What is on the list and is not named is missing. A count changes no bar.",
  examples: [
    "vault count record --place 'Riyadh, shelf 4' --bar SA-0001 --bar SA-0002=999.8",
    "vault count record --bar SA-0001 --unexpected SA-0009",
  ],
  flags: {
    place: textFlag("Where was counted; left out: the whole vault", "TEXT"),
    pool: textFlag("Whose bars were counted; left out: the bars of all pools", "POOL"),
    bar: several("A bar that was seen, with its gross weight if it was weighed", "SERIAL[=GRAMS]"),
    unexpected: several("A bar that was seen and is not on the list", "SERIAL"),
  },
  async run(session, { place, pool, bar: bars = [], unexpected = [] }) {
    const { countId, lines } = await session.act("vault.count", {
      ...place !== undefined && { place },
      bars,
      unexpected,
      ...pool !== undefined && { pool },
    });
    const differing = lines.filter(({ finding }) => finding !== "found");
    return {
      json: {
        id: countId,
        bars: lines.map(({ serial, finding }) => ({ serial, finding })),
      },
      text: [
        `the count ${countId} is recorded: ${lines.length - differing.length} bars agree`,
        ...differing.map(({ serial, finding }) => `${serial}: ${finding}`),
        "",
      ].join("\n"),
    };
  },
});

const accept = command<{ reason: string }, [string]>({
  brief: "Accept what a count found: its differences stop no allocation any more",
  examples: ["vault count accept 01980f2e-4c1e-7d6f-8a90-1b2c3d4e5f60 --reason 'at the assayer'"],
  flags: { reason: neededFlag(text, "Why", "TEXT", { question: "Why?" }) },
  args: [["COUNT", "The count's id"]],
  async run(session, { reason }, count) {
    await session.act("vault.count.accept", { count, reason });
    return {
      json: { id: count, accepted: true },
      text: `what the count ${count} found is accepted\n`,
    };
  },
});

/** `sabika vault count …` */
export const count = buildRouteMap({
  docs: { brief: "Counts of the bars in the vault" },
  routes: { record, accept, ...readCommands("vault count") },
});
