import { buildRouteMap } from "@stricli/core";
import type { ArgumentsOf, ResultOf } from "@sabika/office/acts";
import { BARS } from "@sabika/office/reads";
import { formatDecimal, formatMicrograms } from "@sabika/protocol";
import { csvLine } from "@sabika/terms";
import { acting } from "../command/acting.ts";
import { command, neededFlag, textFlag } from "../command/command.ts";
import { amount, type Json } from "../command/json.ts";
import { fineness, grams, text } from "../command/parsers.ts";
import { readCommands } from "../command/read_commands.ts";
import { readTextFile } from "../command/read_text_file.ts";
import { several } from "../command/several.ts";
import { RefusedError } from "../outcome.ts";
import { readAll } from "../reads/read.ts";

const SERIAL = ["SERIAL", "The number on the bar"] as const;
const POOL = textFlag("The pool that it belongs to; left out: main", "POOL");
const FILE_OF_BARS =
  "The file is a weight list: CSV with serial, refiner, gross_ounces or gross_grams, fineness, and, " +
  "where it is known, fine_ounces, vault, place, document, sha256. Or a JSON array of bars: " +
  '{"serial", "refiner", "fineness": "999.9", "weight_grams": "1000", …}.';

/** `sabika vault bar …` */
export const bar = buildRouteMap({
  docs: { brief: "The bars in the vault" },
  routes: {
    add: command<{
      refiner: string;
      fineness: number;
      weight: bigint;
      place?: string;
      document?: string;
      pool?: string;
      vault?: string;
      sha256?: readonly string[];
    }, [string]>({
      brief: "Record a bar that arrived in the vault",
      examples: ["vault bar add SA-0001 --refiner 'Refinery' --fineness 999.9 --weight 1000"],
      flags: {
        refiner: neededFlag(text, "Who made it", "NAME", { question: "Who made it?" }),
        fineness: neededFlag(fineness, "Parts in a thousand, from 916", "FINENESS", {
          question: "Its fineness, such as 999.9?",
        }),
        weight: neededFlag(grams, "Its gross weight", "GRAMS", {
          question: "Its weight in grams?",
        }),
        place: textFlag("The vault and place where it lies", "TEXT"),
        document: textFlag("The reference of the document that came with it", "TEXT"),
        pool: POOL,
        vault: textFlag("Whose vault it lies in", "TEXT"),
        sha256: several("The SHA-256 of a document about it, in hex", "HEX"),
      },
      args: [SERIAL],
      async run(session, flags, serial) {
        const weight = formatMicrograms(flags.weight);
        const { fineMicrograms } = await session.act("vault.bar.add", {
          serial,
          refiner: flags.refiner,
          fineness: formatDecimal(BigInt(flags.fineness), 1),
          weight_grams: weight,
          place: flags.place,
          document: flags.document,
          pool: flags.pool,
          vault: flags.vault,
          documents: flags.sha256,
        });
        const fine = formatDecimal(fineMicrograms, 6);
        return {
          json: { serial, weight_grams: amount(weight), fine_grams: amount(fine) },
          text: `the bar ${serial}, ${weight} g, is in the vault: ${fine} g fine\n`,
        };
      },
    }),
    ...readCommands("vault bar"),
    move: acting("vault.bar.move", {
      brief: "Record that a bar lies elsewhere",
      examples: ["vault bar move SA-0001 'Riyadh, shelf 4'"],
      args: {
        serial: SERIAL,
        place: ["PLACE", "The vault and place where it lies"],
      },
      json: ({ serial, place }) => ({ serial, place }),
      text: ({ serial, place }) => `the bar ${serial} lies in ${place}`,
    }),
    remove: acting("vault.bar.remove", {
      brief: "Record that a bar left the vault; refused while it backs allocations",
      examples: ["vault bar remove SA-0001"],
      args: { serial: SERIAL },
      question: ({ serial }) => `Has the bar ${serial} left the vault?`,
      json: ({ serial }) => ({ serial, removed: true }),
      text: ({ serial }) => `the bar ${serial} has left the vault`,
    }),
    replace: command<{ bar?: readonly string[]; with: string }, []>({
      brief: "Record that bars of a pool were replaced by others, in one version",
      more: "The new bars have as much fine gold as the old ones, or more. " + FILE_OF_BARS,
      examples: ["vault bar replace --bar SA-0001 --with bars.json"],
      flags: {
        bar: several("A bar that left", "SERIAL"),
        with: neededFlag(text, "The file of the new bars", "FILE", {
          question: "In which file are the new bars?",
        }),
      },
      async run(session, { bar: serials = [], with: path }) {
        const bars = await readBars(path);
        const { version } = await session.act("vault.bar.replace", { serials, bars });
        return {
          json: {
            removed: [...serials],
            added: bars.map(({ serial }) => serial),
            ...versionOf(version),
          },
          text: `${serials.join(", ")} replaced by ${bars.length} bars: ${say(version)}\n`,
        };
      },
    }),
    encumber: command<{ reason: string; sha256?: string }, [string]>({
      brief: "Record that a bar does not count from now on, such as one that is pledged",
      more: "Refused while the bar backs allocations.",
      examples: ["vault bar encumber SA-0001 --reason 'pledged to Bank One'"],
      flags: {
        reason: neededFlag(text, "Why", "TEXT", { question: "Why does it not count?" }),
        sha256: textFlag("The SHA-256 of the document that says so, in hex", "HEX"),
      },
      args: [SERIAL],
      async run(session, { reason, sha256 }, serial) {
        await session.act("vault.bar.encumber", { serial, reason, document_sha256: sha256 });
        return {
          json: { serial, encumbered: true },
          text: `the bar ${serial} does not count any more\n`,
        };
      },
    }),
    release: acting("vault.bar.release", {
      brief: "Record that a bar that was encumbered counts again",
      examples: ["vault bar release SA-0001"],
      args: { serial: SERIAL },
      json: ({ serial }) => ({ serial, encumbered: false }),
      text: ({ serial }) => `the bar ${serial} counts again`,
    }),
  },
});

/** `sabika vault bars …` */
export const bars = buildRouteMap({
  docs: { brief: "Many bars at once" },
  routes: {
    add: command<{ pool?: string }, [string]>({
      brief: "Record bars that arrived together, up to 1000: one version of their pool",
      more: FILE_OF_BARS,
      examples: ["vault bars add weights.csv", "vault bars add weights.csv --pool second"],
      flags: { pool: POOL },
      args: [["FILE", "The file of the bars"]],
      async run(session, { pool }, path) {
        const listed = await readBars(path);
        const { bars, version } = await session.act("vault.bars.add", { bars: listed, pool });
        return {
          json: { added: bars.map(({ serial }) => serial), ...versionOf(version) },
          text: `${bars.length} bars are in the vault: ${say(version)}\n`,
        };
      },
    }),
    list: command<{ pool?: string }, []>({
      brief: "Print the bars as a weight list: CSV, in troy ounces and grams",
      examples: ["vault bars list > weights.csv"],
      flags: { pool: textFlag("The bars of this pool alone", "POOL") },
      async run(session, { pool }) {
        const { WEIGHT_LIST_HEAD, weightListLine } = await import("@sabika/terms/weight-list");
        const bars = (await readAll(session, BARS))
          .filter(({ poolId }) => pool === undefined || poolId === pool);
        const lines = [WEIGHT_LIST_HEAD, ...bars.map(weightListLine)];
        return {
          json: lines.slice(1).map((cells) =>
            Object.fromEntries(cells.map((cell, index) => [WEIGHT_LIST_HEAD[index]!, cell]))
          ),
          text: lines.map(csvLine).join(""),
        };
      },
    }),
  },
});

type Version = ResultOf<"vault.bars.add">["version"];

const versionOf = (version: Version): Readonly<Record<string, Json>> =>
  version === undefined ? {} : {
    pool: version.poolId,
    version: version.number,
    hash: version.hash,
    fine_grams: amount(formatDecimal(version.fineMicrograms, 6)),
  };

const say = (version: Version) =>
  version === undefined
    ? "no version"
    : `version ${version.number} of the pool ${version.poolId}, ` +
      `${formatDecimal(version.fineMicrograms, 6)} g fine`;

/** Reads a file of bars: a weight list, or JSON as the act takes it; the act says what is wrong with one of its bars. */
async function readBars(path: string): Promise<ArgumentsOf<"vault.bars.add">["bars"]> {
  const text = await readTextFile(path, "the file of bars");
  if (!/^\s*\[/.test(text)) {
    const { readWeightList } = await import("@sabika/terms/weight-list");
    const list = readWeightList(text);
    if (list.ok) return list.bars;
    throw new RefusedError("invalid_file", `${path}: line ${list.line} ${list.detail}`);
  }
  try {
    return JSON.parse(text) as ArgumentsOf<"vault.bars.add">["bars"];
  } catch {
    throw new RefusedError("invalid_file", `${path} is no JSON array of bars`);
  }
}
