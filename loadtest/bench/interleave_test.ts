import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { interleave } from "./interleave.ts";

test("interleave() measures all in each round, each round beginning with another", async () => {
  const order: string[] = [];
  let count = 0;
  const measure = (name: string) => () => {
    order.push(name);
    return Promise.resolve(++count);
  };
  const figures = await interleave(2, { a: measure("a"), b: measure("b"), c: measure("c") });
  assertEquals(order, ["a", "b", "c", "b", "c", "a"]);
  assertEquals(figures, { a: [1, 6], b: [2, 4], c: [3, 5] });
});
