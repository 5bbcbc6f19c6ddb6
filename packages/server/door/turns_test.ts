import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { createTurns } from "./turns.ts";

test("all calls of a turn of the event loop go on together, after what arrived in it", async () => {
  const endOfTurn = createTurns();
  const ran: string[] = [];
  setImmediate(() => ran.push("arrived"));
  const [first, second] = [endOfTurn(), endOfTurn()];
  assertEquals(first, second);
  await first.then(() => ran.push("went on"));
  assertEquals(ran, ["arrived", "went on"]);
  assert(endOfTurn() !== first);
});
