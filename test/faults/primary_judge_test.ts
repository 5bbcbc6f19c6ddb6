import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { rivals } from "./primary_judge.ts";

/** A write that one server acknowledged on a timeline. */
const write = (server: string, timeline: number, sentMs: number, ackedMs: number) => ({
  id: `${server} at ${sentMs}`,
  server,
  timeline,
  sentMs,
  ackedMs,
});

test("rivals() lets one server follow another, also where a late answer crosses the promotion", () => {
  const writes = [
    write("a", 1, 0, 1),
    write("a", 1, 2, 9),
    write("b", 2, 5, 6),
    write("a", 3, 7, 8),
  ];
  assertEquals(rivals(writes), []);
});

test("rivals() finds a write to an older primary after a newer one acknowledged", () => {
  assertEquals(rivals([write("a", 1, 0, 1), write("b", 2, 2, 3), write("a", 1, 4, 5)]).length, 1);
});

test("rivals() finds two servers on one timeline", () => {
  assertEquals(rivals([write("a", 2, 0, 1), write("b", 2, 2, 3)]).length, 1);
});
