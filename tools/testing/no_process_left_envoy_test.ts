import { assert, assertEquals } from "@std/assert";
import { spawn } from "node:child_process";
import { once } from "node:events";
import process from "node:process";
import { test } from "node:test";
import {
  commandOf,
  endMarkedProcesses,
  type ListedProcess,
  listPids,
  markedProcesses,
  markWithin,
  RUN_MARK,
} from "../programs/marked_processes.ts";
import { ROOT } from "../rules/repository_files.ts";

/** A test that starts Envoy and keeps it for some seconds. */
const TEST_FILE = "packages/sidecar/rotation_envoy_test.ts";
const RUNTIME = "Deno" in globalThis ? "deno" : "node";

const isEnvoy = ({ command }: Pick<ListedProcess, "command">) => /(^|\/)envoy /.test(command);
const isTestProcess = ({ command }: ListedProcess) =>
  / --(test-reporter|junit-path)=/.test(command);

/**
 * Returns a function that returns whether an Envoy has started since. It is called often, so it reads only
 * the commands of new processes.
 */
function watchForEnvoy(): () => boolean {
  let earlier = new Set(listPids());
  return () => {
    const pids = listPids();
    // The id of an ended process may be reused.
    earlier = new Set(pids.filter((pid) => earlier.has(pid)));
    return pids.some((pid) => !earlier.has(pid) && isEnvoy({ command: commandOf(pid) }));
  };
}

/** Runs an Envoy test, disturbs it once Envoy runs, and returns how it ended and the processes left. */
async function disturb(
  signal: (runner: number, inside: ListedProcess[]) => void,
): Promise<{ exitCode: number | null; output: string; left: ListedProcess[] }> {
  const mark = markWithin(`disturbed-${crypto.randomUUID()}`);
  const before = RUNTIME === "deno" ? ["run", "-A"] : [];
  const args = [...before, "tools/test.mjs", TEST_FILE, "--runtime", RUNTIME];
  const envoyCame = watchForEnvoy();
  const runner = spawn(process.execPath, args, {
    cwd: ROOT,
    env: { ...process.env, [RUN_MARK]: mark },
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  let output = "";
  for (const stream of [runner.stdout, runner.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => (output += text));
  }
  try {
    const closed = once(runner, "close");
    let inside: ListedProcess[] = [];
    while (!inside.some(isEnvoy)) {
      assert(runner.exitCode === null, `the run ended before Envoy came: ${output}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
      if (envoyCame()) inside = markedProcesses(mark);
    }
    signal(runner.pid!, inside);
    const [exitCode] = await closed as [number | null];
    return { exitCode, output, left: markedProcesses(mark) };
  } finally {
    await endMarkedProcesses(mark, 0);
  }
}

test("Ctrl-C in the terminal of a test run leaves no process", async () => {
  const { exitCode, output, left } = await disturb((runner) => process.kill(-runner, "SIGINT"));
  assertEquals([exitCode, left], [130, []], output);
});

test("a test process that is killed fails, and what it had started is ended", async () => {
  const { exitCode, output, left } = await disturb((_, inside) => {
    const children = inside.filter(isTestProcess);
    assert(children.length > 0, "no test process is found");
    for (const { pid } of children) process.kill(pid, "SIGKILL");
  });
  assertEquals([exitCode, left], [1, []], output);
  assert(/\n\d+ passed, [1-9]\d* failed/.test(output), output);
});
