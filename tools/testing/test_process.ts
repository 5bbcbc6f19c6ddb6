import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { availableParallelism, loadavg } from "node:os";
import process from "node:process";
import { setTimeout as pause } from "node:timers/promises";
import {
  endMarkedProcesses,
  markedProcesses,
  markWithin,
  RUN_MARK,
} from "../programs/marked_processes.ts";
import { ROOT } from "../rules/repository_files.ts";

/** How long processes that a test has started may take to end after SIGTERM. */
const END_PATIENCE_MS = 5_000;
/** How long a helper process of the runtime, such as esbuild's, may outlive it. */
const AFTERMATH_MS = 10_000;
const TICKS_PER_SECOND = 100;

/**
 * Environment variables for other programs, which tests must not inherit: a database, a proxy, options that
 * Java prints to stderr, and extra authorities, which Node would read for each TLS context.
 */
const FOREIGN =
  /^(PG[A-Z]+|TEST_DATABASE_URL|SABIKA_TEST_DATABASE|FORCE_COLOR|(HTTPS?|ALL|NO)_PROXY|_?J\w*_OPTIONS|NODE_EXTRA_CA_CERTS)$/i;

let started = 0;

/** A process that runs tests. */
export interface TestProcess {
  child: ChildProcess;
  /** Returns the output of the process and its descendants since the last call. */
  takeOutput(): string;
  /** Ends the process and its descendants after this time; each call sets the time anew. */
  endAfter(seconds: number, reason: () => string): void;
  /** Resolves when the process and its descendants have ended. */
  ended: Promise<{
    exitCode: number | null;
    /** Why it was ended, or which processes outlived it; undefined if it ended normally. */
    trouble: string | undefined;
  }>;
}

/**
 * Starts a process of tests in a new session, so that Ctrl-C in the terminal reaches only the runner.
 *
 * @param environment variables besides those of this process; null removes a variable
 * @param options.ipc whether the processes can exchange messages
 * @param options.root the folder that it works in; that of the repository by default
 */
export function startTestProcess(
  command: string,
  args: readonly string[],
  environment: Readonly<Record<string, string | null>>,
  { ipc, root = ROOT }: { ipc: boolean; root?: string | undefined },
): TestProcess {
  const mark = markWithin(`${process.pid}.${++started}`);
  const inherited = Object.entries(process.env).filter(([name]) => !FOREIGN.test(name));
  const added = Object.entries(environment).filter(([, value]) => value !== null);
  const child = spawn(command, args, {
    cwd: root,
    env: { ...Object.fromEntries([...inherited, ...added]), NO_COLOR: "1", [RUN_MARK]: mark },
    stdio: ["ignore", "pipe", "pipe", ...(ipc ? ["ipc" as const] : [])],
    detached: true,
  });
  let output = "";
  for (const stream of [child.stdout!, child.stderr!]) {
    stream.setEncoding("utf8").on("data", (text: string) => (output += text));
  }
  let overdue: string | undefined;
  let deadline: ReturnType<typeof setTimeout> | undefined;
  const toTheEnd = async () => {
    const closed = once(child, "close");
    const [exitCode] = await once(child, "exit") as [number | null];
    clearTimeout(deadline);
    // Processes that outlive it may keep its output open, so they are ended first.
    const left = overdue === undefined ? await outliving(mark) : [];
    await endMarkedProcesses(mark, END_PATIENCE_MS);
    await closed;
    const trouble = left.length > 0 ? `it left processes behind:\n${left.join("\n")}` : undefined;
    return { exitCode, trouble: overdue ?? trouble };
  };
  return {
    child,
    takeOutput() {
      const taken = output;
      output = "";
      return taken;
    },
    endAfter(seconds, reason) {
      clearTimeout(deadline);
      deadline = setTimeout(() => {
        overdue = reason();
        void endMarkedProcesses(mark, END_PATIENCE_MS);
      }, seconds * 1000);
    },
    ended: toTheEnd(),
  };
}

/** Returns the commands of the processes that outlive the one that started them. */
async function outliving(mark: string): Promise<string[]> {
  const deadlineMs = performance.now() + AFTERMATH_MS;
  let left = markedProcesses(mark);
  while (left.length > 0 && performance.now() < deadlineMs) {
    await pause(20);
    left = markedProcesses(mark);
  }
  return left.map(({ command }) => command);
}

/** Returns the processor time of a process and its ended children; 0 on systems without `/proc`. */
export function processorSeconds(pid: number | "self"): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8").replace(/^.*\) /s, "").split(" ");
    // utime, stime, cutime and cstime follow the command, which may contain anything.
    return stat.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / TICKS_PER_SECOND;
  } catch {
    return 0;
  }
}

/** Formats the machine's load as `load 3.1 on 2 processors`. */
export function machineLoad(): string {
  return `load ${loadavg()[0]!.toFixed(1)} on ${availableParallelism()} processors`;
}
