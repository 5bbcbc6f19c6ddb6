import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { startProgress } from "./progress.ts";

const PARTS = [{ name: "orders", seconds: 60 }, { name: "envoy", seconds: 180 }];

/** What a screen was given while a clock goes on. */
function shown(isTTY: boolean): string[] {
  const written: string[] = [];
  const screen = { write: (text: string) => written.push(text), isTTY, columns: 80 };
  let nowMs = 1_000;
  const progress = startProgress(() => nowMs, PARTS, screen);
  progress.begin("orders");
  nowMs += 30_000;
  progress.say("round 1");
  nowMs += 30_000;
  progress.begin("envoy");
  progress.end();
  return written;
}

test("a terminal has a bar with the time left below the lines, until all is over", () => {
  assertEquals(shown(true), [
    "\r\x1b[K[........................] 0 %  orders, 4 min left",
    "\r\x1b[K   30 s  round 1\n[###.....................] 12 %  orders, 4 min left",
    "\r\x1b[K[######..................] 25 %  envoy, 3 min left",
    "\r\x1b[K",
  ]);
});

test("a pipe gets the lines alone", () => {
  assertEquals(shown(false), ["   30 s  round 1\n"]);
});
