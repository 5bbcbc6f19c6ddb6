import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { endProcess } from "../../../tools/programs/own_process.ts";
import { GOALS } from "../goals.ts";
import type { Measure } from "../measure.ts";
import { judge } from "../ratio.ts";
import { readResidentBytes } from "../world/service_process.ts";

/** After `ready` the collector has its turn before the memory is read. */
const REST_MS = 3_000;

/** `npm start` on the runtime that the bench runs on: what stays of the first start's work. */
export const start: Measure = {
  name: "start",
  asks: "Does the first npm start keep more memory than a later one, and how soon is it ready?",
  long: true,
  takes: ({ rounds }) => 16 * rounds,
  async run({ rounds, progress }) {
    const first: number[] = [];
    const later: number[] = [];
    for (let round = 1; round <= rounds; round++) {
      const folder = await mkdtemp(join(tmpdir(), "sabika-start-"));
      try {
        for (const [which, figures] of [["first", first], ["later", later]] as const) {
          const { seconds, bytes } = await startOnce(join(folder, "data"));
          const size = `${(bytes / 2 ** 20).toFixed(0)} MB`;
          progress.say(`${which} start, round ${round}: ready in ${seconds.toFixed(1)} s, ${size}`);
          figures.push(bytes);
        }
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    }
    return [judge(GOALS.firstStart, first, later)];
  },
};

async function startOnce(data: string): Promise<{ seconds: number; bytes: number }> {
  const runtime = "Deno" in globalThis ? ["run", "-A"] : [];
  const started = performance.now();
  const child = spawn(process.execPath, [
    ...[...runtime, "tools/start.mjs", "--port", "0", "--data", data],
  ], { stdio: ["ignore", "pipe", "inherit"] });
  try {
    let words = "";
    await new Promise<void>((resolve, reject) => {
      child.stdout.setEncoding("utf8").on("data", (text: string) => {
        words += text;
        if (/^ready https/m.test(words)) resolve();
      });
      child.once("exit", () => reject(new Error(`npm start ended: ${words.slice(-500)}`)));
    });
    const seconds = (performance.now() - started) / 1000;
    await new Promise((resolve) => setTimeout(resolve, REST_MS));
    return { seconds, bytes: Math.max(...processesFrom(child.pid!).map(residentBytes)) };
  } finally {
    await endProcess(child, "SIGINT");
  }
}

/** A process and all that it started: Deno's start is a process of its own. */
function processesFrom(pid: number): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8");
  return [pid, ...children.split(" ").filter(Boolean).flatMap((one) => processesFrom(Number(one)))];
}

function residentBytes(pid: number): number {
  return readResidentBytes(readFileSync(`/proc/${pid}/status`, "utf8"));
}
