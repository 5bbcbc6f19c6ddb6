import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { orderPressure } from "./order_pressure.ts";

test("an instance is busy when partners write and its loop has no rest, and calm a moment later", () => {
  const clock = { ms: 0 };
  const pressure = orderPressure(() => clock.ms);
  assertEquals(pressure.isBusy(), false);

  pressure.noteWrite();
  for (const end = performance.now() + 50; performance.now() < end;);
  clock.ms += 100;
  assertEquals(pressure.isBusy(), true, "a partner wrote, and the loop never rested");
  assertEquals(pressure.isBusy(), true, "until the next tenth of a second");

  clock.ms += 100;
  assertEquals(pressure.isBusy(), false, "nobody writes any more");
});
