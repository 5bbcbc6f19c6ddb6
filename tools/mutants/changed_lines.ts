import { mustRun } from "../programs/run_program.ts";
import { ROOT } from "../rules/repository_files.ts";

/** Which lines of the working tree's files have changed, by path. */
export type ChangedLines = ReadonlyMap<string, ReadonlySet<number>>;

/** Asks git which lines have changed since the branch left a commit; a file that git does not know is not among them. */
export async function readChangedLines(base: string): Promise<ChangedLines> {
  const since = (await mustRun("git", ["merge-base", base, "HEAD"], { cwd: ROOT })).trim();
  const diff = ["diff", "--unified=0", "--no-ext-diff", "--no-color", "--diff-filter=AMR", since];
  return parseDiff(await mustRun("git", diff, { cwd: ROOT }));
}

/** Reads which lines a diff without context adds or changes. */
export function parseDiff(diff: string): ChangedLines {
  const changed = new Map<string, Set<number>>();
  let lines = new Set<number>();
  for (const text of diff.split("\n")) {
    const file = /^\+\+\+ b\/(.*)$/.exec(text)?.[1];
    if (file !== undefined) changed.set(file, lines = new Set());
    const [, first, count = "1"] = /^@@ \S+ \+(\d+)(?:,(\d+))? @@/.exec(text) ?? [];
    for (let n = 0; first !== undefined && n < Number(count); n++) lines.add(Number(first) + n);
  }
  return changed;
}
