import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../rules/repository_files.ts";
import type { TestFile } from "../testing/test_files.ts";
import { readChangedLines } from "./changed_lines.ts";
import { type Judgement, type KeptResults, openKeptResults } from "./kept_results.ts";
import { type Mutant, nameMutant } from "./mutant.ts";
import type { MutantOptions } from "./options.ts";
import type { Reason } from "./reasons.ts";
import { findRooms, listRoomTests, listSources, type Room, roomOf } from "./rooms.ts";

/** A source file to mutate. */
export interface Source {
  room: Room;
  file: string;
  text: string;
  /** The tests that are to find its mutants. */
  tests: readonly TestFile[];
  /** Whether a mutant is asked for. */
  wants(mutant: Mutant): boolean;
  /** Returns what is known of a mutant, so that it need not be judged. */
  settled(mutant: Mutant): Judgement | undefined;
  keep(mutant: Mutant, judgement: Judgement): void;
}

/** Finds the sources that the options choose. */
export async function findSources(
  { rooms, at, changedSince, again }: MutantOptions,
  reasons: ReadonlyMap<string, Reason>,
): Promise<Source[]> {
  const changed = changedSince === undefined ? undefined : await readChangedLines(changedSince);
  const chosen = at.length > 0
    ? at.map(({ file }) => ({ file, room: roomOf(file) }))
    : findRooms(rooms).flatMap((room) => listSources(room).map((file) => ({ file, room })));
  const isInLines = (mutant: Mutant, has: (line: number) => boolean) => {
    for (let line = mutant.line; line <= mutant.lastLine; line++) if (has(line)) return true;
    return false;
  };
  return chosen.filter(({ file }, n) =>
    (changed?.has(file) ?? true) && chosen.findIndex((other) => other.file === file) === n
  ).map(({ file, room }) => {
    const tests = listRoomTests(room);
    const kept: KeptResults = openKeptResults(file, tests.map(({ path }) => path));
    const places = at.filter((place) => place.file === file);
    return {
      file,
      room,
      tests,
      text: readFileSync(join(ROOT, file), "utf8"),
      wants: (mutant) =>
        isInLines(mutant, (line) => changed?.get(file)?.has(line) ?? true) &&
        (places.length === 0 ||
          places.some((place) =>
            isInLines(mutant, (line) => place.line === undefined || place.line === line)
          )),
      settled: (mutant) =>
        again
          ? undefined
          : reasons.has(nameMutant(mutant))
          ? { outcome: "lives" }
          : kept.find(mutant),
      keep: kept.keep,
    };
  });
}
