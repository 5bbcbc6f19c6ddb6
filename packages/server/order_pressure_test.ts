import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { orderPressure } from "./order_pressure.ts";

test("an instance is busy when writes wait and its loop has no rest, and calm a moment later", () => {
  const clock = { ms: 0 };
  let waiting = 0;
  const isBusy = orderPressure(() => waiting, () => clock.ms);
  assertEquals(isBusy(), false);

  waiting = 3;
  for (const end = performance.now() + 50; performance.now() < end;);
  clock.ms += 100;
  assertEquals(isBusy(), true, "writes waited, and the loop never rested");

  waiting = 0;
  assertEquals(isBusy(), true, "until the next tenth of a second");
  clock.ms += 100;
  isBusy();
  clock.ms += 100;
  assertEquals(isBusy(), false, "nothing waited any more");
});
