import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { findProgram } from "../../tools/programs/find_program.ts";

/** The clocks of the stack's processes, by the processes' names. */
export interface Clocks {
  /** Returns the environment variables that make a process use its clock. */
  environment(name: string): Record<string, string>;
  /** Sets how far a clock is ahead of the machine's; its process follows within a second. */
  set(name: string, offsetSeconds: number): Promise<void>;
}

/**
 * Opens clocks that can be set, with libfaketime. The monotonic clock, which timers use, does not change, as
 * when a real clock is stepped.
 *
 * @param folder gets a file for each clock
 * @returns undefined if there is no libfaketime, and no Debian to fetch it from
 */
export async function openClocks(
  folder: string,
  names: readonly string[],
): Promise<Clocks | undefined> {
  const library = await findProgram("libfaketime").then(({ command }) => command, () => undefined);
  if (library === undefined) return undefined;
  const fileOf = (name: string) => join(folder, `${name}.clock`);
  const set = (name: string, seconds: number) =>
    writeFile(fileOf(name), `${seconds < 0 ? "" : "+"}${seconds}\n`);
  for (const name of names) await set(name, 0);
  return {
    environment: (name) => ({
      LD_PRELOAD: library,
      FAKETIME_TIMESTAMP_FILE: fileOf(name),
      FAKETIME_CACHE_DURATION: "1",
      FAKETIME_DONT_FAKE_MONOTONIC: "1",
      DONT_FAKE_MONOTONIC: "1",
    }),
    set,
  };
}
