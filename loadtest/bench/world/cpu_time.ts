import { readdirSync, readFileSync } from "node:fs";

/** Microseconds on a processor, by what used them. */
export type CpuTimes = Record<string, number>;

/** The time each thread of a process has been on a processor; by `main` and `others`. */
export function threadTimes(pid: number): { main: number; others: number } {
  const times = { main: 0, others: 0 };
  for (const thread of threadsOf(pid)) {
    const time = onProcessor(`/proc/${pid}/task/${thread}/schedstat`);
    times[Number(thread) === pid ? "main" : "others"] += time;
  }
  return times;
}

/** The time a process with all its threads has been on a processor. */
export function processTime(pid: number): number {
  const { main, others } = threadTimes(pid);
  return main + others;
}

/** The processes that a process started, with the titles they gave themselves. */
export function childrenOf(pid: number): { pid: number; title: string }[] {
  return readdirSync("/proc").filter((name) => /^\d+$/.test(name)).flatMap((name) => {
    try {
      const status = readFileSync(`/proc/${name}/status`, "utf8");
      if (Number(/^PPid:\s+(\d+)$/m.exec(status)?.[1]) !== pid) return [];
      const title = readFileSync(`/proc/${name}/cmdline`, "latin1").replaceAll("\0", " ").trim();
      return [{ pid: Number(name), title }];
    } catch {
      return []; // it ended meanwhile
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

/** The first number of schedstat: nanoseconds on a processor. */
function onProcessor(path: string): number {
  try {
    return Number(readFileSync(path, "utf8").split(" ")[0]) / 1000;
  } catch {
    return 0;
  }
}
