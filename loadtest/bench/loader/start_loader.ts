import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { atEnd } from "../../../tools/programs/at_end.ts";
import { endProcess } from "../../../tools/programs/own_process.ts";
import { nextMessage } from "../next_message.ts";
import type { LoadResult } from "./drive.ts";
import type { FromLoader, Job, ToLoader } from "./job.ts";

/** A process that sends orders as load. */
export interface Loader {
  readonly pid: number;
  /**
   * Signs all orders of the job, connects, awaits `onGo`, and sends the orders; one run at a time. Rejects with
   * Error when the loader fails or ends.
   */
  run(job: Job, onGo?: () => void | Promise<void>): Promise<LoadResult>;
  /** Kills the process, and resolves when it has ended. */
  stop(): Promise<void>;
}

/** Starts the loader's process, which ends at the latest with this one. */
export function startLoader(): Loader {
  const child = fork(fileURLToPath(new URL("./main.ts", import.meta.url)), [], {
    // A larger young generation means fewer collections while the orders are sent.
    execArgv: [...("Deno" in globalThis ? [] : ["--import", "tsx"]), "--max-semi-space-size=64"],
    serialization: "advanced",
  });
  child.once("exit", atEnd(() => child.kill("SIGKILL")));
  return {
    pid: child.pid!,
    async run(job, onGo) {
      await ask(child, { kind: "prepare", job });
      await onGo?.();
      const answer = await ask(child, { kind: "go" });
      if (answer.kind !== "done") throw new Error(`the loader answered "${answer.kind}"`);
      return answer.result;
    },
    stop: () => endProcess(child, "SIGKILL"),
  };
}

async function ask(child: ChildProcess, message: ToLoader): Promise<FromLoader> {
  child.send(message);
  const reply = await nextMessage(child)
    .catch(({ message }: Error) => ({ kind: "failed", message })) as FromLoader;
  if (reply.kind === "failed") throw new Error(`the loader failed: ${reply.message}`);
  return reply;
}
