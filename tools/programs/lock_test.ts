import { assertEquals, assertRejects } from "@std/assert";
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { withLock } from "./lock.mjs";

/** Where the lock for a subject is, as lock.mjs names it. */
function lockFile(subject: string): string {
  const name = createHash("sha256").update(subject).digest("hex").slice(0, 16);
  return join(tmpdir(), `sabika-${process.getuid?.() ?? 0}-${name}.lock`);
}

test("withLock() lets one piece of work run at a time, and reports the wait", async () => {
  const subject = crypto.randomUUID();
  const order: string[] = [];
  const work = (name: string) => async () => {
    order.push(`${name} begins`);
    await new Promise((resolve) => setTimeout(resolve, 20));
    order.push(`${name} ends`);
  };
  await Promise.all([
    withLock(subject, work("first")),
    withLock(subject, work("second"), () => order.push("second waits")),
  ]);
  assertEquals(order, [
    "first begins",
    "second waits",
    "first ends",
    "second begins",
    "second ends",
  ]);
});

test("withLock() lets go when the work fails", async () => {
  const subject = crypto.randomUUID();
  await assertRejects(() => withLock(subject, () => Promise.reject(new Error("no"))), Error, "no");
  assertEquals(existsSync(lockFile(subject)), false);
});

test("withLock() takes over from a process that died with the lock", async () => {
  const subject = crypto.randomUUID();
  const { pid } = spawnSync(process.execPath, ["--version"]);
  writeFileSync(lockFile(subject), String(pid));
  assertEquals(await withLock(subject, () => "taken over"), "taken over");
});
