import { test } from "node:test";
import { assertEquals, assertRejects } from "@std/assert";
import { mapConcurrently, MAX_IN_PROGRESS } from "./map_concurrently.ts";

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

test("mapConcurrently() runs 32 at a time, and returns the results in the order of the items", async () => {
  let underWay = 0;
  let most = 0;
  const asked = await mapConcurrently(Array.from({ length: 1_000 }, (_, n) => n), async (n) => {
    most = Math.max(most, ++underWay);
    for (let turns = n % 7; turns > 0; turns--) await turn();
    underWay -= 1;
    return n;
  });
  assertEquals([most, MAX_IN_PROGRESS], [32, 32]);
  assertEquals(asked, Array.from({ length: 1_000 }, (_, n) => n));
  assertEquals(await mapConcurrently([], turn), []);
});

test("mapConcurrently() runs every item even when one fails", async () => {
  const asked: number[] = [];
  await assertRejects(
    () =>
      mapConcurrently(Array.from({ length: 100 }, (_, n) => n), async (n) => {
        await turn();
        if (n === 1) throw new Error("away");
        asked.push(n);
      }),
    Error,
    "away",
  );
  assertEquals(asked.length, 99);
});
