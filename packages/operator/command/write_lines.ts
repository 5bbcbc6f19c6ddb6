import { open } from "node:fs/promises";
import { neededFlag } from "./command.ts";
import { text } from "./parsers.ts";

/** The flag that says to which file something is written. */
export const OUT_FILE = neededFlag(text, "Where it goes", "FILE", {
  question: "Where does it go?",
  otherwise: "say where it goes: --out FILE",
});

/** Writes lines to a file, which nobody else may read; returns how many they are. */
export async function writeLines(path: string, lines: AsyncIterable<string>): Promise<number> {
  const file = await open(path, "w", 0o600);
  let count = 0;
  try {
    for await (const line of lines) {
      await file.write(`${line}\n`);
      count++;
    }
  } finally {
    await file.close();
  }
  return count;
}
