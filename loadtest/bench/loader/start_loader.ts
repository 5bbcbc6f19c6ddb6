import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { endProcess } from "../../../tools/programs/own_process.ts";
import type { LoadResult } from "./drive.ts";
import type { FromLoader, Job, ToLoader } from "./job.ts";

/** The loader's process. */
export interface Loader {
  readonly pid: number;
  /** Signs all orders of the job, calls `onGo`, sends the orders; throws Error if the loader fails. */
  run(job: Job, onGo?: () => void): Promise<LoadResult>;
  stop(): Promise<void>;
}

/** Starts the loader's process, which ends at the latest with this one. */
export function startLoader(): Loader {
  const child = fork(fileURLToPath(new URL("./main.ts", import.meta.url)), [], {
    execArgv: [...("Deno" in globalThis ? [] : ["--import", "tsx"]), "--max-semi-space-size=64"],
    serialization: "advanced",
  });
  return {
    pid: child.pid!,
    async run(job, onGo) {
      await ask(child, { kind: "prepare", job });
      onGo?.();
      const answer = await ask(child, { kind: "go" });
      if (answer.kind !== "done") throw new Error(`the loader answered "${answer.kind}"`);
      return answer.result;
    },
    stop: () => endProcess(child, "SIGKILL"),
  };
}

async function ask(child: ChildProcess, message: ToLoader): Promise<FromLoader> {
  const ended = new AbortController();
  const gone = once(child, "exit", { signal: ended.signal })
    .then(() => ({ kind: "failed", message: "its process ended" }) as const);
  gone.catch(() => undefined);
  try {
    const answer = once(child, "message", { signal: ended.signal });
    answer.catch(() => undefined);
    child.send(message);
    const reply = await Promise.race([answer.then(([first]) => first as FromLoader), gone]);
    if (reply.kind === "failed") throw new Error(`the loader failed: ${reply.message}`);
    return reply;
  } finally {
    ended.abort();
  }
}
