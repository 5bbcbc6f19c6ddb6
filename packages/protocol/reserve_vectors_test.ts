/** Checks reserves against docs/vectors/reserve.json, as the clients in every language do. */
import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { readVectors } from "../../test/support/vectors.ts";
import {
  ATTESTATION_KEYS,
  parseJson,
  readReceiptKeys,
  RESERVE_FAULTS,
  RESERVE_OPENING,
  verifyReserve,
} from "./mod.ts";

const vectors = JSON.parse(readVectors("reserve.json"));
const textOf = (name: string | null) => name === null ? undefined : vectors.texts[name];
const opening = (name: string) => RESERVE_OPENING.read(parseJson(vectors.openings[name]));

for (const { name, faults, ...kept } of vectors.reserves) {
  test(`a reserve: ${name}`, async () => {
    const verified = await verifyReserve({
      text: textOf(kept.text),
      hash: kept.hash ?? undefined,
      signature: kept.signature ?? undefined,
      keys: kept.keys === null
        ? undefined
        : readReceiptKeys(JSON.stringify(vectors.keys[kept.keys])),
      attestation: kept.attestation ?? undefined,
      attestationKeys: kept.attestation_keys === null ? undefined : ATTESTATION_KEYS.read(
        parseJson(JSON.stringify(vectors.attestation_keys[kept.attestation_keys])),
      ),
      previousText: textOf(kept.previous),
      mine: kept.mine === null ? undefined : opening(kept.mine),
      openings: kept.openings?.map(opening),
    });
    assertEquals(verified.faults, faults);
    assertEquals(verified.ok, faults.length === 0);
    assertEquals(verified.reserve === undefined, faults.includes("malformed"));
  });
}

test("each fault of a reserve has a vector", () => {
  const found = vectors.reserves.flatMap(({ faults }: { faults: string[] }) => faults);
  assertEquals(new Set(found), new Set(RESERVE_FAULTS));
});
