import { assertEquals } from "@std/assert";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { sized } from "../../../test/support/sized.ts";
import { temporaryFolder } from "../../../test/support/temporary_folder.ts";
import { takeLock } from "./take_lock.mjs";

const TIMES = sized(20, 1_000);
const AT_ONCE = 4;

test("a lock has one holder among callers of one process", async () => {
  const folder = temporaryFolder();
  const path = join(folder, "lock");
  let [left, holders] = [TIMES, 0];
  const contend = async () => {
    while (left > 0) {
      const lock = await takeLock(path);
      if (lock.holder !== undefined) {
        assertEquals(lock.holder, process.pid);
        continue;
      }
      assertEquals(++holders, 1);
      left--;
      await new Promise((resolve) => setTimeout(resolve, 0));
      holders--;
      await lock.release();
    }
  };
  await Promise.all(Array.from({ length: 2 * AT_ONCE }, contend));
  assertEquals(await readdir(folder), []);
});

test("a lock has one holder among processes that die while holding it", async () => {
  const folder = temporaryFolder();
  const path = join(folder, "lock");
  let left = TIMES;
  const contend = async () => {
    while (left > 0) left -= await countTakings(path);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, contend));
  const last = await takeLock(path);
  assertEquals(last.holder, undefined);
  await last.release?.();
  assertEquals(await readdir(folder), []);
});

/** Runs a process that dies holding the lock, and counts how often it took it. */
async function countTakings(path: string): Promise<number> {
  const program = fileURLToPath(new URL("./contend.mjs", import.meta.url));
  const runtime = "Deno" in globalThis ? ["run", "-A"] : [];
  const child = spawn(process.execPath, [...runtime, program, path], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let taken = 0;
  child.stdout.on("data", (bytes: Uint8Array) => taken += bytes.length);
  const [, signal] = await once(child, "close");
  assertEquals(signal, "SIGKILL", "two processes had the lock");
  return taken;
}

test("a lock that a dead process left is taken over, even one that names no socket", async () => {
  const folder = temporaryFolder();
  const path = join(folder, "lock");
  const leftovers = ["", `${process.pid}\n`, `${process.pid} 0a1b2c3d ${join(folder, "gone")}\n`];
  for (const left of leftovers) {
    await writeFile(path, left);
    const lock = await takeLock(path);
    assertEquals(lock.holder, undefined, left);
    assertEquals((await takeLock(path)).holder, process.pid);
    await lock.release?.();
  }
});

test("a lock works in a folder whose path is too long for a socket", async () => {
  const parent = temporaryFolder();
  const folder = join(parent, "deep".repeat(30));
  await mkdir(folder);
  const lock = await takeLock(join(folder, "lock"));
  assertEquals((await takeLock(join(folder, "lock"))).holder, process.pid);
  await lock.release?.();
  assertEquals(await readdir(folder), []);
});
