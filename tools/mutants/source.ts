import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../rules/repository_files.ts";
import type { TestFile } from "../testing/test_files.ts";
import { readChangedLines } from "./changed_lines.ts";
import { type Judgement, type KeptResults, openKeptResults } from "./kept_results.ts";
import { type Mutant, nameMutant } from "./mutant.ts";
import type { MutantOptions } from "./options.ts";
import type { Reason } from "./reasons.ts";
import { findRooms, isSource, listRoomTests, listSources, type Room, roomOf } from "./rooms.ts";

/** A source file to mutate. */
export interface Source {
  room: Room;
  file: string;
  text: string;
  /** The tests that are to find its mutants. */
  tests: readonly TestFile[];
  /** Whether what is known is left out of account. */
  isAgain: boolean;
  /** Whether mutants of a line are asked for. */
  wantsLine(line: number): boolean;
  /** Whether a mutant is asked for: one of its lines. */
  wants(mutant: Mutant): boolean;
  /** Returns what is known of a mutant, so that it need not be judged. */
  settled(mutant: Mutant): Judgement | undefined;
  keep(mutant: Mutant, judgement: Judgement): void;
}

/** Finds the sources that the options choose. */
export async function findSources(
  { rooms, languages, at, changedSince, again }: MutantOptions,
  reasons: ReadonlyMap<string, Reason>,
): Promise<Source[]> {
  const changed = changedSince === undefined ? undefined : await readChangedLines(changedSince);
  const chosen = at.length > 0
    ? at.map(({ file }) => ({ file, room: roomOf(file) }))
    : changed !== undefined && rooms.length === 0
    ? languages.flatMap((language) =>
      [...changed.keys()].filter((file) => isSource(file, language))
        .map((file) => ({ file, room: roomOf(file) }))
    )
    : languages.flatMap((language) =>
      findRooms(rooms).flatMap((room) =>
        listSources(room, language).map((file) => ({ file, room }))
      )
    );
  return chosen.filter(({ file }, n) =>
    (changed?.has(file) ?? true) && chosen.findIndex((other) => other.file === file) === n
  ).map(({ file, room }) => {
    const tests = listRoomTests(room);
    const kept: KeptResults = openKeptResults(file, tests.map(({ path }) => path));
    const places = at.filter((place) => place.file === file);
    const wantsLine = (line: number) =>
      (changed?.get(file)?.has(line) ?? true) &&
      (places.length === 0 ||
        places.some((place) => place.line === undefined || place.line === line));
    return {
      file,
      room,
      tests,
      text: readFileSync(join(ROOT, file), "utf8"),
      isAgain: again,
      wantsLine,
      wants: ({ line: first, lastLine }) =>
        Array.from({ length: lastLine - first + 1 }, (_, n) => first + n).some(wantsLine),
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
