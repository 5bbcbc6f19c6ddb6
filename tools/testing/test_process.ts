import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { availableParallelism, loadavg } from "node:os";
import process from "node:process";
import {
  endMarkedProcesses,
  markedProcesses,
  markWithin,
  RUN_MARK,
} from "../programs/marked_processes.ts";
import { ROOT } from "../rules/repository_files.ts";

/** How long what a test has started may take to end in order. */
const END_PATIENCE_MS = 5_000;
/** How long a helper process of the runtime may outlive it (esbuild's ends when its input does). */
const AFTERMATH_MS = 10_000;
const TICKS_PER_SECOND = 100;

let started = 0;

/** A process that runs tests. */
export interface TestProcess {
  child: ChildProcess;
  /** What it and those that it started have written since the last call. */
  takeOutput(): string;
  /** Ends it and all that it has started. */
  end(): void;
  /** Resolves when it and all that it has started have ended. */
  ended: Promise<{
    exitCode: number | null;
    /** The commands of what outlived it, ended since. */
    left: string[];
  }>;
}

/**
 * Starts a process of tests in a session of its own: a Ctrl-C reaches the runner alone, which ends it and
 * all that it has started.
 */
export function startTestProcess(
  command: string,
  args: readonly string[],
  options: { env: Record<string, string | undefined>; ipc: boolean; signal?: AbortSignal },
): TestProcess {
  const mark = markWithin(`${process.pid}.${++started}`);
  const child = spawn(command, args, {
    cwd: ROOT,
    env: { ...options.env, [RUN_MARK]: mark },
    stdio: ["ignore", "pipe", "pipe", ...(options.ipc ? ["ipc" as const] : [])],
    detached: true,
  });
  let output = "";
  for (const stream of [child.stdout!, child.stderr!]) {
    stream.setEncoding("utf8").on("data", (text: string) => (output += text));
  }
  let isEnded = false;
  const end = () => {
    isEnded = true;
    void endMarkedProcesses(mark, END_PATIENCE_MS);
  };
  options.signal?.addEventListener("abort", end, { once: true });
  const toTheEnd = async () => {
    const closed = once(child, "close");
    const [exitCode] = await once(child, "exit") as [number | null];
    options.signal?.removeEventListener("abort", end);
    // What outlives the process may hold its output open: it is ended before the output is waited for.
    const left = isEnded ? [] : await outliving(mark);
    await endMarkedProcesses(mark, END_PATIENCE_MS);
    await closed;
    return { exitCode, left };
  };
  return {
    child,
    takeOutput() {
      const taken = output;
      output = "";
      return taken;
    },
    end,
    ended: toTheEnd(),
  };
}

/** The commands of the processes that do not end with the one that started them. */
async function outliving(mark: string): Promise<string[]> {
  const deadline = performance.now() + AFTERMATH_MS;
  let left = markedProcesses(mark);
  while (left.length > 0 && performance.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    left = markedProcesses(mark);
  }
  return left.map(({ command }) => command);
}

/** The processor time of a process and of those that it started and that have ended; 0 without a /proc. */
export function processorSeconds(pid: number | "self"): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8").replace(/^.*\) /s, "").split(" ");
    // utime, stime, cutime and cstime, of which the command before them may hold anything.
    return stat.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / TICKS_PER_SECOND;
  } catch {
    return 0;
  }
}

/** `load 3.1 on 2 processors`: whether the machine had time for a test. */
export function machineLoad(): string {
  return `load ${loadavg()[0]!.toFixed(1)} on ${availableParallelism()} processors`;
}

/**
 * What a machine has set for other programs: a database, a way around the loopback, words on stderr, and
 * authorities that no test meets, which Node would read again for each TLS context.
 */
const OF_OTHERS =
  /^(PG[A-Z]+|TEST_DATABASE_URL|SABIKA_TEST_DATABASE|FORCE_COLOR|(HTTPS?|ALL)_PROXY|_?J\w*_OPTIONS|NODE_EXTRA_CA_CERTS)$/i;

/** The environment of every process of tests. */
export function testEnvironment(long = false): Record<string, string | undefined> {
  return {
    ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !OF_OTHERS.test(name))),
    NO_COLOR: "1",
    ...(long ? { SABIKA_TEST_LONG: "1" } : {}),
  };
}

/** The last lines of an output. */
export function tail(output: string): string {
  return output.trimEnd().split("\n").slice(-20).join("\n");
}
