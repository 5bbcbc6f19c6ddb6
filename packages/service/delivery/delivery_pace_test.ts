import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { assert, assertEquals } from "@std/assert";
import { paceDelivery } from "./delivery_pace.ts";

test("attempts begin at once while no order waits, and at the allowed rate while orders wait", async () => {
  let isBusy = false;
  const pace = paceDelivery(() => isBusy, 100);
  let begun = 0;
  const ask = (count: number) =>
    Promise.all(Array.from({ length: count }, () => pace.take().then(() => begun++)));
  await ask(1_000);
  assertEquals(begun, 1_000);

  isBusy = true;
  begun = 0;
  const started = performance.now();
  await ask(10);
  // Two at each tick of 20 ms, however late the ticks are.
  assert(performance.now() - started >= 80, "the tenth waited for its tick");
  assertEquals(begun, 10);

  const many = ask(10_000);
  isBusy = false;
  await many;
  assertEquals(begun, 10_010, "those that wait go when it is calm again");

  isBusy = true;
  const last = ask(1_000);
  pace.stop();
  await last;
});

test("attempts begin in the order in which they asked, and all when the pace stops", async () => {
  let isBusy = false;
  let asked = 0;
  const pace = paceDelivery(() => (asked++, isBusy), 50);
  const begun: number[] = [];
  const ask = (number: number) => pace.take().then(() => begun.push(number));
  void ask(1);
  await turn();
  assertEquals(begun, [1], "none waits for a tick while it is calm");

  isBusy = true;
  asked = 0;
  await Promise.all([2, 3, 4].map(ask));
  assertEquals([begun, asked], [[1, 2, 3, 4], 4], "one at each tick");

  const fifth = ask(5);
  isBusy = false;
  await Promise.all([ask(6), fifth]);
  assertEquals(begun, [1, 2, 3, 4, 5, 6]);

  isBusy = true;
  void ask(7);
  pace.stop();
  void ask(8);
  await turn();
  assertEquals(begun, [1, 2, 3, 4, 5, 6, 7, 8]);
});

test("no tick is left over, and nothing saved up, when none waits any more", async () => {
  const ticking = new Set<unknown>();
  const pace = paceDelivery(() => true, 50, {
    setInterval: (run) => (ticking.add(run), run),
    clearInterval: (run) => ticking.delete(run),
  });
  let begun = 0;
  const ask = () => void pace.take().then(() => begun++);
  const tick = async () => {
    for (const run of ticking) (run as () => void)();
    await turn();
  };
  ask();
  await tick();
  assertEquals([begun, ticking.size], [1, 0]);
  for (let ticks = 0; ticks < 5; ticks++) await tick();
  for (let asked = 0; asked < 3; asked++) ask();
  const counts: number[] = [];
  while (counts.push(begun) < 4) await tick();
  assertEquals(counts, [1, 2, 3, 4], "one at each tick");
});
