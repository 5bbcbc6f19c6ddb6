import { assertEquals } from "@std/assert";
import { test } from "node:test";
import type { TestKind } from "./list_tests.ts";
import type { Job } from "./matrix.ts";
import { queueJobs } from "./queue_jobs.ts";

const job = (path: string, kind: TestKind): Job => ({
  files: [{ path, kind }],
  on: { runtime: "Node" },
});
const JOBS = [job("a", "k6"), job("b", "envoy"), job("c", "k6"), job("d", "plain")];

const pathOf = (one: Job | undefined) => one?.files[0]?.path;

test("what needs k6 waits for it, what does not goes before", async () => {
  let isThere = () => {};
  const queue = queueJobs(JOBS, new Promise<void>((resolve) => isThere = resolve));
  assertEquals([pathOf(await queue.next()), pathOf(await queue.next())], ["b", "d"]);
  const waiting = [queue.next(), queue.next(), queue.next()];
  isThere();
  assertEquals((await Promise.all(waiting)).map(pathOf), ["a", "c", undefined]);
});

test("where k6 is there the jobs come in their order", async () => {
  const queue = queueJobs(JOBS, Promise.resolve());
  await Promise.resolve();
  const order = [];
  for (let one = await queue.next(); one !== undefined; one = await queue.next()) {
    order.push(pathOf(one));
  }
  assertEquals(order, ["a", "b", "c", "d"]);
  assertEquals(await queue.next(), undefined);
});
