import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { assertEquals, assertRejects } from "@std/assert";
import { type Attempt, createAttemptLog } from "./attempt_log.ts";

const attempt = (sequence: bigint): Attempt => ({
  partnerId: 1,
  sequence,
  atMs: 0,
  durationMs: 0,
  status: 204,
  failure: null,
  address: null,
});

test("attempts that could not be written are written by the next statement, before later ones", async () => {
  const written: bigint[][] = [];
  let isAway = true;
  const log = createAttemptLog((attempts) => {
    if (isAway) return Promise.reject(new Error("away"));
    return Promise.resolve(void written.push(attempts.map(({ sequence }) => sequence)));
  });
  log.add(attempt(1n));
  await assertRejects(() => log.written(), Error, "away");
  isAway = false;
  log.add(attempt(2n));
  await log.written();
  assertEquals(written, [[1n, 2n]]);
});

test("nothing is written when no attempt waits, and whoever asks meanwhile waits for the statement", async () => {
  const batches: number[] = [];
  let end = () => {};
  const log = createAttemptLog((attempts) => {
    batches.push(attempts.length);
    return new Promise((resolve) => end = resolve);
  });
  await log.written();
  assertEquals(batches, []);
  log.add(attempt(1n));
  const first = log.written();
  assertEquals(log.written(), first, "one statement for both");
  await turn();
  let isWritten = false;
  const second = log.written().then(() => isWritten = true);
  await turn();
  assertEquals([batches, isWritten], [[1], false]);
  end();
  await Promise.all([first, second]);
});

test("of more than 10 000 attempts that cannot be written the newest are kept", async () => {
  let isAway = true;
  let written: readonly Attempt[] = [];
  const log = createAttemptLog((attempts) => {
    written = attempts;
    return isAway ? Promise.reject(new Error("away")) : Promise.resolve();
  });
  for (let sequence = 1n; sequence <= 10_001n; sequence++) log.add(attempt(sequence));
  await assertRejects(() => log.written(), Error, "away");
  isAway = false;
  await log.written();
  assertEquals([written.length, written[0]!.sequence], [10_000, 2n]);
});
