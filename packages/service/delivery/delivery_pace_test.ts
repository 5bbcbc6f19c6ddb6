import { test } from "node:test";
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
