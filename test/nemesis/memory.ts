import { readFile } from "node:fs/promises";

/** A process of the stack. */
interface Process {
  readonly name: string;
  readonly pid: number;
}

const EVERY_MS = 15_000;

/**
 * Looks every so often at the resident memory of processes, from `/proc`.
 *
 * @returns ends it: a line for each process
 */
export function watchMemory(processes: () => readonly Process[]): () => string[] {
  const lives = new Map<number, { readonly name: string; readonly mebibytes: number[] }>();
  const look = async () => {
    for (const { name, pid } of processes()) {
      const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
      const kibibytes = /^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1];
      if (kibibytes === undefined) continue;
      const life = lives.get(pid) ?? { name, mebibytes: [] };
      life.mebibytes.push(Math.round(Number(kibibytes) / 1_024));
      lives.set(pid, life);
    }
  };
  const timer = setInterval(() => void look(), EVERY_MS);
  return () => {
    clearInterval(timer);
    return Array.from(
      lives,
      ([pid, { name, mebibytes }]) =>
        `${name} (${pid}): ${mebibytes[0]} MiB at first, ${mebibytes.at(-1)} at last, ` +
        `${Math.max(...mebibytes)} at most`,
    );
  };
}
