import { writeFile } from "node:fs/promises";
import { buildRouteMap } from "@stricli/core";
import { VAULT_COUNT_OF } from "@sabika/office/reads";
import { command, neededFlag, textFlag } from "../command/command.ts";
import { text } from "../command/parsers.ts";
import { readCommands } from "../command/read_commands.ts";
import { readTextFile } from "../command/read_text_file.ts";
import { several } from "../command/several.ts";
import { notFound, RefusedError } from "../outcome.ts";
import { findOne } from "../reads/read.ts";

const COUNT = ["COUNT", "The count's id"] as const;

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
    const input = { place, bars, unexpected, pool };
    const { countId, lines } = await session.act("vault.count", input);
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
  args: [COUNT],
  async run(session, { reason }, count) {
    await session.act("vault.count.accept", { count, reason });
    return {
      json: { id: count, accepted: true },
      text: `what the count ${count} found is accepted\n`,
    };
  },
});

const file = command<{ out?: string }, [string]>({
  brief: "Write a count of a pool as an inspector signs it: canonical JSON",
  more: "The inspector signs the file offline, with `sabika-client sign count`.",
  examples: ["vault count file 01980f2e-4c1e-7d6f-8a90-1b2c3d4e5f60 --out count.json"],
  flags: { out: textFlag("Where it goes; left out: the standard output", "FILE") },
  args: [COUNT],
  async run(session, { out }, id) {
    const { text, sha256 } = await findOne(session, VAULT_COUNT_OF, { path: { id } }) ??
      throwNotFound(id);
    if (text === null) {
      throw new RefusedError("invalid_state", `the count ${id} names no pool`);
    }
    // Its SHA-256 is that of the file.
    if (out !== undefined) await writeNewFile(out, text);
    return {
      json: { id, sha256, ...out === undefined ? { text } : { file: out } },
      text: out === undefined ? `${text}\n` : `the count is in ${out}: SHA-256 ${sha256}\n`,
    };
  },
});

const inspect = command<{ signature: string }, [string]>({
  brief: "Enter an inspector's signature under a count",
  more: "Once. Then the count settles what earlier counts found and it did not.",
  examples: ["vault count inspect 01980f2e-4c1e-7d6f-8a90-1b2c3d4e5f60 --signature count.jws"],
  flags: {
    signature: neededFlag(text, "The file of the signature", "FILE", {
      question: "In which file is the signature?",
    }),
  },
  args: [COUNT],
  async run(session, { signature: path }, count) {
    const signature = (await readTextFile(path, "the signature")).trim();
    const { holder, keyId } = await session.act("vault.count.inspect", { count, signature });
    return {
      json: { id: count, inspected_by: holder, key: keyId },
      text: `${holder} signed the count ${count}\n`,
    };
  },
});

const throwNotFound = (id: string): never => {
  throw notFound(`vault count ${id}`);
};

/** Writes a file that is not there yet. */
async function writeNewFile(path: string, text: string): Promise<void> {
  await writeFile(path, text, { flag: "wx" }).catch((error: { code?: string }) => {
    throw new RefusedError("no_file", `${path} cannot be written (${error.code})`);
  });
}

/** `sabika vault count …` */
export const count = buildRouteMap({
  docs: { brief: "Counts of the bars in the vault" },
  routes: { record, accept, file, inspect, ...readCommands("vault count") },
});
