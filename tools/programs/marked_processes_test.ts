import { assertEquals } from "@std/assert";
import { spawn } from "node:child_process";
import { once } from "node:events";
import process from "node:process";
import { test } from "node:test";
import { endMarkedProcesses, markedProcesses, markWithin, RUN_MARK } from "./marked_processes.ts";

/** A shell that has started `script` and waits; both are of the mark. */
async function startMarked(mark: string, script: string, env: Record<string, string> = {}) {
  const child = spawn("sh", ["-c", `${script}\necho up; wait`], {
    env: { PATH: process.env["PATH"], [RUN_MARK]: mark, ...env },
    stdio: ["ignore", "pipe", "inherit"],
    detached: true,
  });
  const exited = once(child, "exit");
  await once(child.stdout, "data");
  return { child, exited };
}

const commands = (mark: string) => markedProcesses(mark).map(({ command }) => command).sort();

/** Resolves when the processes of a mark are these: between fork and exec they have the shell's command. */
async function becomes(mark: string, expected: string[], which: RegExp) {
  const deadline = performance.now() + 20_000;
  const found = () => commands(mark).filter((command) => which.test(command));
  while (performance.now() < deadline && String(found()) !== String(expected)) {
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  assertEquals(found(), expected);
}

test("markedProcesses() finds another session's processes and those without the mark below them", async () => {
  const mark = markWithin(crypto.randomUUID());
  const { exited } = await startMarked(
    `${mark}/part`,
    "setsid sleep 61 & env -i PATH=$PATH sleep 62 &",
  );
  await becomes(mark, ["sleep 61", "sleep 62"], /^sleep/);
  assertEquals(commands(mark.slice(0, -1)), []);
  await endMarkedProcesses(mark, 5_000);
  await exited;
  assertEquals(commands(mark), []);
});

test("endMarkedProcesses() kills what does not listen to SIGTERM after its patience", async () => {
  const mark = markWithin(crypto.randomUUID());
  const { child, exited } = await startMarked(mark, "trap '' TERM; sleep 63 &");
  await becomes(mark, ["sleep 63"], /^sleep/);
  const found = await endMarkedProcesses(mark, 200);
  await exited;
  assertEquals(found.length, 2);
  assertEquals(child.signalCode, "SIGKILL");
  assertEquals(commands(mark), []);
});

test("endMarkedProcesses() finds what has lost its parent", async () => {
  const mark = markWithin(crypto.randomUUID());
  const { child, exited } = await startMarked(mark, "setsid sleep 64 &");
  child.kill("SIGKILL");
  await exited;
  await becomes(mark, ["sleep 64"], /./);
  await endMarkedProcesses(mark, 5_000);
  assertEquals(commands(mark), []);
});
