/** Checks chains of versions against docs/vectors/versions.json, as the clients in every language do. */
import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { readVectors } from "../../test/support/vectors.ts";
import { verifyVersions, VERSIONS_FAULTS } from "./mod.ts";

const vectors = JSON.parse(readVectors("versions.json"));

for (const { name, texts, hashes, faults, at } of vectors.chains) {
  test(`versions: ${name}`, async () => {
    const verified = await verifyVersions({
      texts: texts.map((text: string) => vectors.texts[text]),
      hashes: new Map(Object.keys(hashes).map((number) => [Number(number), hashes[number]])),
    });
    assertEquals([verified.faults, verified.at ?? null], [faults, at]);
    assertEquals(verified.ok, faults.length === 0);
  });
}

test("each fault of versions has a vector", () => {
  const found = vectors.chains.flatMap(({ faults }: { faults: string[] }) => faults);
  assertEquals(new Set(found), new Set(VERSIONS_FAULTS));
});
