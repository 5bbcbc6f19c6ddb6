import { readdirSync, readFileSync } from "node:fs";

/** Microseconds of processor time, by their user. */
export type CpuTimes = Record<string, number>;

/** The load's own sender, which is no part of the service. */
export const LOADER = "the loader itself";

/** Reads the microseconds of processor time of a process: its main thread, all others (Linux). */
export function threadTimes(pid: number): { main: number; others: number } {
  const times = { main: 0, others: 0 };
  for (const thread of threadsOf(pid)) {
    const time = onProcessor(`/proc/${pid}/task/${thread}/schedstat`);
    times[Number(thread) === pid ? "main" : "others"] += time;
  }
  return times;
}

/** Reads the microseconds of processor time of all threads of a process; 0 if it ended (Linux). */
export function processTime(pid: number): number {
  const { main, others } = threadTimes(pid);
  return main + others;
}

/** Lists the child processes of a process with their titles (Linux). */
export function childrenOf(pid: number): { pid: number; title: string }[] {
  return readdirSync("/proc").filter((name) => /^\d+$/.test(name)).flatMap((name) => {
    try {
      const status = readFileSync(`/proc/${name}/status`, "utf8");
      if (Number(/^PPid:\s+(\d+)$/m.exec(status)?.[1]) !== pid) return [];
      const title = readFileSync(`/proc/${name}/cmdline`, "latin1").replaceAll("\0", " ").trim();
      return [{ pid: Number(name), title }];
    } catch {
      return []; // The process has ended.
    }
  });
}

function threadsOf(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/task`);
  } catch {
    return [];
  }
}

/** Reads the first number of a schedstat file, nanoseconds of processor time, as microseconds. */
function onProcessor(path: string): number {
  try {
    return Number(readFileSync(path, "utf8").split(" ")[0]) / 1000;
  } catch {
    return 0;
  }
}
