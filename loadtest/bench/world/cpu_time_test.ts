import { spawn } from "node:child_process";
import { once } from "node:events";
import { test } from "node:test";
import process from "node:process";
import { assert, assertStringIncludes } from "@std/assert";
import { childrenOf, processTime } from "./cpu_time.ts";

test("processTime() grows with the work that is done", () => {
  const before = processTime(process.pid);
  const endMs = performance.now() + 50;
  while (performance.now() < endMs);
  const used = processTime(process.pid) - before;
  assert(used > 5_000, `${used} µs for 50 ms of work`);
});

test("childrenOf() finds what a process started", async () => {
  const child = spawn("cat", ["-u"], { stdio: ["pipe", "pipe", "inherit"] });
  try {
    // "spawn" may come before the program has its arguments; an answer comes from it alone
    child.stdin.write("are you there?");
    await once(child.stdout, "data");
    const found = childrenOf(process.pid).find(({ pid }) => pid === child.pid);
    assertStringIncludes(found?.title ?? "", "cat -u");
  } finally {
    child.kill();
  }
});
