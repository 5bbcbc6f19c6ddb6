import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile } from "node:fs/promises";
import process from "node:process";
import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { setBatchPolicy } from "./batch_policy.ts";
import { onPath } from "./on_path.ts";

/** The field `policy` of proc(5), and SCHED_BATCH. */
const POLICY = 38;
const BATCH = "3";

test("all threads of a process get the batch policy", {
  skip: onPath("chrt") === undefined && "needs chrt of util-linux",
}, async () => {
  const child = spawn(process.execPath, [
    "-e",
    "process.stdout.write('up'); setInterval(() => {}, 1e6)",
  ]);
  try {
    await once(child.stdout, "data");
    await setBatchPolicy(child.pid!);
    const threads = `/proc/${child.pid}/task`;
    for (const thread of await readdir(threads)) {
      const stat = await readFile(`${threads}/${thread}/stat`, "utf8");
      assertEquals(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[POLICY], BATCH);
    }
  } finally {
    child.kill("SIGKILL");
    await once(child, "exit");
  }
});

test("a process that has ended is no error", async () => {
  await setBatchPolicy(2 ** 22 + 1);
});
