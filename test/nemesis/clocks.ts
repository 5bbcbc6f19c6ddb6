import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { arch } from "node:os";
import { join } from "node:path";

/** The clocks of the stack's processes, by their names. */
export interface Clocks {
  /** What makes a process go by its clock. */
  environment(name: string): Record<string, string>;
  /** Sets a clock so far apart from the machine's; its process sees it within a second. */
  set(name: string, offsetSeconds: number): Promise<void>;
}

/** Where distributions have libfaketime (Debian's package `faketime`). */
const FOLDERS = [
  `/usr/lib/${arch() === "arm64" ? "aarch64" : "x86_64"}-linux-gnu/faketime`,
  "/usr/lib64/faketime",
  "/usr/lib/faketime",
  "/usr/local/lib/faketime",
];

/**
 * Makes clocks that can be set, by libfaketime; timers and whatever else goes by the monotonic clock
 * are left alone, as by a step of a real clock. Undefined where there is none.
 *
 * @param folder for a file each
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
