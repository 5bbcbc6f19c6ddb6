import { test } from "node:test";
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
