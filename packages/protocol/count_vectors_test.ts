/** Checks counts that inspectors signed against docs/vectors/count.json, as the clients in every language do. */
import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { readVectors } from "../../test/support/vectors.ts";
import { ATTESTATION_KEYS, COUNT_FAULTS, parseJson, verifyCount } from "./mod.ts";

const vectors = JSON.parse(readVectors("count.json"));

for (const { name, jws, keys, count, faults } of vectors.counts) {
  test(`a count: ${name}`, async () => {
    const verified = await verifyCount({
      jws,
      keys: ATTESTATION_KEYS.read(parseJson(JSON.stringify(vectors.keys[keys]))),
      ...count !== null && { text: count },
    });
    assertEquals(verified.faults, faults);
    const isRead = !COUNT_FAULTS.slice(0, 4).some((fault) => faults.includes(fault));
    assertEquals(verified.count !== null, isRead);
  });
}

test("each fault of a count has a vector", () => {
  const found = vectors.counts.flatMap(({ faults }: { faults: string[] }) => faults);
  assertEquals(new Set(found), new Set(COUNT_FAULTS));
});
