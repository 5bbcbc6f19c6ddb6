import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { cacheFolder, fetchOnce } from "../programs/cache_folder.ts";
import { fetchNode, installNpmPackages } from "../programs/fetch_packages.ts";
import { mustRun } from "../programs/run_program.ts";
import { type Change, type Mutant, placeChanges } from "./mutant.ts";

/** Stryker's instrumenter has many packages and needs Node 22, so it is no dependency but fetched when it is used. */
const STRYKER = "10.0.0";
const NODE = "22.23.3";
const PROGRAM = fileURLToPath(new URL("instrument_sources.mjs", import.meta.url));

/** A source in which each mutant can be switched on. */
export interface Instrumented {
  file: string;
  text: string;
  /** The mutants, with the numbers that switch them on. */
  mutants: ReadonlyMap<Mutant, string>;
}

/** What the instrumenter says. */
export interface InstrumentResult {
  files: { name: string; content: string }[];
  mutants: {
    id: string;
    fileName: string;
    mutatorName: string;
    replacement: string;
    location: { start: Place; end: Place };
    /** `Ignored` if it is of an excluded kind. */
    status?: string;
  }[];
}

/** Lines and columns begin with 0. */
interface Place {
  line: number;
  column: number;
}

/** Instruments sources with StrykerJS. */
export async function instrument(
  sources: readonly { file: string; text: string }[],
): Promise<Instrumented[]> {
  const packages = await fetchOnce(
    join(cacheFolder(), `stryker-instrumenter-${STRYKER}`),
    (part) => installNpmPackages(part, [`@stryker-mutator/instrumenter@${STRYKER}`]),
  );
  const folder = mkdtempSync(join(tmpdir(), "sabika-instrument-"));
  try {
    const [input, output] = [join(folder, "input.json"), join(folder, "output.json")];
    const files = sources.map(({ file, text }) => ({ name: file, content: text }));
    writeFileSync(input, JSON.stringify(files));
    await mustRun(await fetchNode(NODE), [PROGRAM, packages, input, output]);
    return readInstrumentation(sources, JSON.parse(readFileSync(output, "utf8")));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Reads the instrumenter's result. */
export function readInstrumentation(
  sources: readonly { file: string; text: string }[],
  { files, mutants }: InstrumentResult,
): Instrumented[] {
  return sources.map(({ file, text }) => {
    const starts = [0];
    for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
    const offset = ({ line, column }: Place) => starts[line]! + column;
    const ids = new Map<string, string>();
    const nameOf = ({ start, end, replacement }: Change) => `${start} ${end} ${replacement}`;
    const changes = mutants.filter(({ fileName, status }) =>
      fileName === file && status !== "Ignored"
    ).map((mutant) => {
      const change: Change = {
        kind: mutant.mutatorName.replace(/(?<=[a-z])(?=[A-Z])/g, " ").toLowerCase(),
        start: offset(mutant.location.start),
        end: offset(mutant.location.end),
        replacement: mutant.replacement,
      };
      ids.set(nameOf(change), mutant.id);
      return change;
    });
    return {
      file,
      text: files.find(({ name }) => name === file)!.content,
      mutants: new Map(
        placeChanges(file, text, changes).map((mutant) => [mutant, ids.get(nameOf(mutant))!]),
      ),
    };
  });
}
