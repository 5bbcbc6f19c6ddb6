import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { processorPressure } from "./processor_pressure.ts";

/** Simulates a process on two processors that ran and waited for the given times since the last call. */
function simulated() {
  const clock = { ms: 0 };
  const total = { ran: 0, waited: 0, idle: 0 };
  const text = () => `${total.ran * 1e6} ${total.waited * 1e6} 7\n`;
  const machine = () => {
    const busy = 2 * clock.ms - total.idle;
    return `cpu  ${busy} 0 0 ${total.idle} 0 0 0 0 0 0\ncpu0 1 1 1 1 1 1 1 1 1 1\n`;
  };
  const pressure = processorPressure(() => clock.ms, text, machine);
  return (elapsedMs: number, ranMs: number, waitedMs: number, idlePart = 0.2) => {
    clock.ms += elapsedMs;
    total.ran += ranMs;
    total.waited += waitedMs;
    total.idle += 2 * elapsedMs * idlePart;
    return pressure.isBusy();
  };
}

test("a process that waits for its turn most of the time leaves the processors to others", () => {
  const isBusyAfter = simulated();
  assertEquals(isBusyAfter(100, 80, 20), false, "it ran whenever it had something to do");
  assertEquals(isBusyAfter(100, 40, 60), true);
  assertEquals(isBusyAfter(50, 50, 0), true, "until the next tenth of a second");
  assertEquals(isBusyAfter(50, 0, 10), false, "the last tenth as a whole: 50 ms run, 10 waited");
  assertEquals(isBusyAfter(100, 0, 0), false, "it had nothing to do");
});

test("a process that waits for those it was woken with, on idle processors, goes on", () => {
  const isBusyAfter = simulated();
  assertEquals(isBusyAfter(100, 5, 9, 0.7), false);
  assertEquals(isBusyAfter(100, 5, 9, 0.3), true);
  assertEquals(isBusyAfter(100, 5, 9, 0.7), false);
});

test("where the system does not count waiting, a process never holds itself back", () => {
  const clock = { ms: 0 };
  const pressure = processorPressure(() => clock.ms, () => "", () => "");
  clock.ms += 1_000;
  assertEquals(pressure.isBusy(), false);
});
