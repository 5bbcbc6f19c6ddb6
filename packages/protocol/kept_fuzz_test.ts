import { readFileSync } from "node:fs";
import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { fuzz } from "../../test/support/fuzz/fuzz.ts";
import { latin1 } from "../../test/support/fuzz/latin1.ts";
import { makeKeys } from "../../test/support/test_keys.ts";
import {
  ATTESTATION_KEYS,
  COUNT_TYPE,
  decodeUtf8,
  encodeUtf8,
  JsonSyntaxError,
  parseJson,
  publicJwk,
  readReceiptKeys,
  RESERVE_OPENING,
  signCompact,
  thumbprint,
  verifyCount,
  verifyReserve,
  verifyVersions,
  WireFormatError,
} from "./mod.ts";

const read = (name: string) =>
  JSON.parse(readFileSync(new URL(`../../docs/vectors/${name}`, import.meta.url), "utf8"));
const [reserves, counts, versions] = ["reserve.json", "count.json", "versions.json"].map(read);
const attested = reserves.reserves.find(({ name }: { name: string }) => name === "attested");
const kept = {
  text: reserves.texts.reserve as string,
  hash: attested.hash,
  signature: attested.signature,
  keys: readReceiptKeys(JSON.stringify(reserves.keys.published)),
  attestation: attested.attestation,
  attestationKeys: ATTESTATION_KEYS.read(
    parseJson(JSON.stringify(reserves.attestation_keys.published)),
  ),
  mine: RESERVE_OPENING.read(parseJson(reserves.openings.mine)),
};
const inspectors = ATTESTATION_KEYS.read(parseJson(JSON.stringify(counts.keys.published)));
const COUNT: string = counts.counts[0].jws;
const { privateKey, publicKey } = await makeKeys();
const { x, y } = await publicJwk(publicKey);
const keyId = await thumbprint(await publicJwk(publicKey));
const WORDS = ['"', "{", "}", "[", ",", ":", "0", "1e1", "-", ".", "null", "\\u0030", '"a":1,'];
const JWS_WORDS = [".", "=", "A", "e30", COUNT.split(".")[2]!];

/** Fuzzes a text that is accepted only as it is. */
const only = (
  accepted: string,
  words: string[],
  verify: (text: string) => Promise<{ faults: readonly string[] }>,
) =>
  fuzz({
    samples: [accepted],
    words,
    async judge(input) {
      // What is not UTF-8 is read as other characters.
      const text = decodeUtf8(input) ?? latin1(input);
      const { faults } = await verify(text);
      if (faults.length > 0) return faults[0]!;
      assertEquals(text, accepted);
      return "accepted";
    },
  });

test(
  "fuzz: a reserve that was changed is refused, whatever was changed",
  only(kept.text, WORDS, (text) => verifyReserve({ ...kept, text })),
);
test(
  "fuzz: the operator's signature of a reserve, changed, is refused",
  only(kept.signature, JWS_WORDS, (signature) => verifyReserve({ ...kept, signature })),
);
test(
  "fuzz: an attestation that was changed is refused",
  only(kept.attestation, JWS_WORDS, (attestation) => verifyReserve({ ...kept, attestation })),
);
test(
  "fuzz: a count that was changed is refused, whatever was changed",
  only(COUNT, JWS_WORDS, (jws) => verifyCount({ jws, keys: inspectors })),
);
test(
  "fuzz: a version whose successor was kept is refused, whatever was changed",
  only(
    versions.texts.first,
    WORDS,
    (text) => verifyVersions({ texts: [text, versions.texts.second] }),
  ),
);

test(
  "fuzz: balances other than those that are committed to are refused",
  fuzz({
    samples: [reserves.openings.mine],
    words: WORDS,
    async judge(input) {
      try {
        const mine = RESERVE_OPENING.read(parseJson(latin1(input)));
        const { faults } = await verifyReserve({ ...kept, mine });
        if (faults.length > 0) return faults[0]!;
        const { pool: _, ...committed } = mine;
        const { pool: _ours, ...ours } = kept.mine;
        assertEquals(committed, ours);
        return "accepted";
      } catch (error) {
        if (error instanceof WireFormatError) return "wrong form";
        if (error instanceof JsonSyntaxError) return "no JSON";
        throw error;
      }
    },
  }),
);

test(
  "fuzz: a signed count of any content is canonical or refused",
  fuzz({
    samples: [Buffer.from(COUNT.split(".")[1]!, "base64url")],
    words: WORDS,
    async judge(input) {
      const jws = await signCompact(input, privateKey, { typ: COUNT_TYPE, keyId });
      const key = { ...inspectors[0]!, keyId, x, y, role: "inspector" } as const;
      const { faults, count } = await verifyCount({ jws, keys: [key] });
      if (faults.length > 0) return faults[0]!;
      const text = decodeUtf8(input)!;
      assertEquals(JSON.stringify(JSON.parse(text)), text);
      assertEquals(JSON.parse(text).missing, count!.missing);
      return "accepted";
    },
  }),
);

test(
  "fuzz: versions of any content are judged",
  fuzz({
    samples: [versions.texts.second, encodeUtf8(versions.texts.third)],
    words: WORDS,
    async judge(input) {
      const { first, third } = versions.texts;
      const { ok, faults } = await verifyVersions({ texts: [latin1(input)] });
      await verifyVersions({ texts: [first, latin1(input), third] });
      return ok ? "accepted" : faults[0]!;
    },
  }),
);
