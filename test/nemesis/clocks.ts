import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { arch } from "node:os";
import { join } from "node:path";

/** The clocks of the stack's processes, by the processes' names. */
export interface Clocks {
  /** Returns the environment variables that make a process use its clock. */
  environment(name: string): Record<string, string>;
  /** Sets how far a clock is ahead of the machine's; its process follows within a second. */
  set(name: string, offsetSeconds: number): Promise<void>;
}

/** Where distributions install libfaketime (Debian's package `faketime`). */
const FOLDERS = [
  `/usr/lib/${arch() === "arm64" ? "aarch64" : "x86_64"}-linux-gnu/faketime`,
  "/usr/lib64/faketime",
  "/usr/lib/faketime",
  "/usr/local/lib/faketime",
];

/**
 * Opens clocks that can be set, with libfaketime. The monotonic clock, which timers use, does not change, as
 * when a real clock is stepped.
 *
 * @param folder gets a file for each clock
 * @returns undefined if libfaketime is not installed
 */
export async function openClocks(
  folder: string,
  names: readonly string[],
): Promise<Clocks | undefined> {
  const library = FOLDERS.map((path) => join(path, "libfaketimeMT.so.1")).find(existsSync);
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
