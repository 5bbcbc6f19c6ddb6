/** `contend.mjs LOCK`, for tests: takes the lock five times, writes a byte each time, and dies with it. */
import { rmSync, writeFileSync, writeSync } from "node:fs";
import process from "node:process";
import { takeLock } from "./take_lock.mjs";

const TIMES = 5;
const STDOUT = 1;

const path = process.argv[2];
for (let taken = 0;;) {
  const lock = await takeLock(path);
  if (lock.holder !== undefined) continue;
  const proof = `${path}.proof`;
  writeFileSync(proof, "", { flag: "wx" }); // fails while another process has the lock
  await new Promise((resolve) => setTimeout(resolve, Math.random() * 2));
  rmSync(proof);
  writeSync(STDOUT, ".");
  if (++taken === TIMES) process.kill(process.pid, "SIGKILL");
  await lock.release();
}
