import { readFile } from "node:fs/promises";

/** A process, and what it had in memory as long as it lived. */
export interface Life {
  readonly name: string;
  readonly pid: number;
  /** In their order; MiB of resident memory. */
  readonly samples: { readonly atMs: number; readonly mebibytes: number }[];
}

/** A process of the stack, as it is found now. */
export type Process = Pick<Life, "name" | "pid">;

/** Looks every so often at what processes have in memory, from `/proc`; where there is none, at nothing. */
export function watchMemory(
  processes: () => readonly Process[],
  { now, everyMs }: { now: () => number; everyMs: number },
) {
  const lives = new Map<number, Life>();
  const look = async () => {
    for (const { name, pid } of processes()) {
      const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
      const kibibytes = /^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1];
      if (kibibytes === undefined) continue;
      const life = lives.get(pid) ?? { name, pid, samples: [] };
      life.samples.push({ atMs: now(), mebibytes: Number(kibibytes) / 1_024 });
      lives.set(pid, life);
    }
  };
  const timer = setInterval(() => void look(), everyMs);
  return {
    /** Ends it; of each name the process that lived longest. */
    stop(): Life[] {
      clearInterval(timer);
      const longest = new Map<string, Life>();
      for (const life of lives.values()) {
        const known = longest.get(life.name);
        if (known === undefined || known.samples.length < life.samples.length) {
          longest.set(life.name, life);
        }
      }
      return [...longest.values()];
    },
  };
}

/** A life in a few figures: MiB at its beginning, at each quarter of it and at its end. */
export function memoryRow({ name, samples }: Life): string {
  const minutes = (samples.at(-1)!.atMs - samples[0]!.atMs) / 60_000;
  const at = [0, 0.25, 0.5, 0.75, 1]
    .map((part) => samples[Math.round(part * (samples.length - 1))]!.mebibytes.toFixed(0));
  const most = Math.max(...samples.map(({ mebibytes }) => mebibytes));
  return `| ${[name, `${minutes.toFixed(0)} min`, ...at, most.toFixed(0)].join(" | ")} |`;
}
