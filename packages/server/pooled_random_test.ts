import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { pooledRandom } from "./pooled_random.ts";

test("pooledRandom() never gives a byte twice", () => {
  let fills = 0;
  const random = pooledRandom((bytes) => {
    fills++;
    bytes.fill(fills);
  });
  const drawn = Array.from({ length: 1000 }, () => random(10));
  // 4096 bytes hold 409 draws of 10; the next begins a fresh pool.
  assertEquals(drawn.filter((bytes) => bytes[0] === 1).length, 409);
  assertEquals(drawn.filter((bytes) => bytes[0] === 2).length, 409);
  assertEquals(fills, 3);
  assert(drawn.every((bytes) => bytes.length === 10 && new Set(bytes).size === 1));
});

test("bytes that pooledRandom() returned do not change", () => {
  let fills = 0;
  const random = pooledRandom((bytes) => bytes.fill(++fills));
  const first = random(16);
  for (let count = 0; count < 1000; count++) random(16);
  assertEquals([...first], new Array(16).fill(1));
});
