import { readFileSync } from "node:fs";
import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { fuzz } from "../../test/support/fuzz/fuzz.ts";
import { latin1 } from "../../test/support/fuzz/latin1.ts";
import { makeKeys } from "../../test/support/test_keys.ts";
import {
  encodeUtf8,
  poolFineMicrograms,
  poolVersionHash,
  publicJwk,
  readPoolVersion,
  RECEIPT_TYPE,
  signCompact,
  thumbprint,
  verifyReceipt,
  WireFormatError,
} from "./mod.ts";
import { JsonSyntaxError } from "./parse_json.ts";

const { receipts, bars } = JSON.parse(
  readFileSync(new URL("../../docs/vectors/receipt.json", import.meta.url), "utf8"),
);
const PAYLOAD = Buffer.from(receipts[0].jws.split(".")[1], "base64url").toString();
const BARS: string = bars.version.text;
const { privateKey, publicKey } = await makeKeys();
const { x, y } = await publicJwk(publicKey);
const keyId = await thumbprint(await publicJwk(publicKey));
const keys = [{ keyId, x, y, validFromMs: 0, validUntilMs: null }];
const sign = (payload: Uint8Array) =>
  signCompact(payload, privateKey, { typ: RECEIPT_TYPE, keyId });
const JWS = await sign(encodeUtf8(PAYLOAD));
const WORDS = [
  '"',
  "{",
  "}",
  "[",
  ",",
  ":",
  "0",
  "1e1",
  "-",
  ".",
  "null",
  '"side":"sell",',
  "\\u0030",
];

test(
  "fuzz: a receipt that was changed is refused, whatever was changed",
  fuzz({
    samples: [JWS],
    words: [".", "=", "A", "e30", JWS.split(".")[2]!],
    async judge(input) {
      const { ok, faults } = await verifyReceipt({ jws: latin1(input), keys });
      if (!ok) return faults[0]!;
      assertEquals(latin1(input), JWS);
      return "accepted";
    },
  }),
);

test(
  "fuzz: a signed receipt of any content is read correctly or refused",
  fuzz({
    samples: [PAYLOAD],
    words: WORDS,
    async judge(input) {
      const { ok, receipt, faults } = await verifyReceipt({ jws: await sign(input), keys });
      if (!ok) return faults[0]!;
      const { share, gold_ug, parts } = JSON.parse(new TextDecoder().decode(input));
      assertEquals(share, [
        `${receipt!.share.partnerMicrograms}`,
        `${receipt!.pool.fineMicrograms}`,
      ]);
      assertEquals(gold_ug, `${receipt!.goldMicrograms}`);
      assertEquals(Math.round(parts.total * 100), Number(receipt!.parts.totalHalalas));
      return "accepted";
    },
  }),
);

test(
  "fuzz: a bar list is read correctly or refused",
  fuzz({
    samples: [BARS],
    words: WORDS,
    async judge(input) {
      const text = latin1(input);
      await poolVersionHash(text);
      try {
        const fine = poolFineMicrograms(readPoolVersion(text));
        const listed: { fine_ug: string }[] = JSON.parse(text).bars;
        assertEquals(listed.reduce((sum, { fine_ug }) => sum + BigInt(fine_ug), 0n), fine);
        return "accepted";
      } catch (error) {
        if (error instanceof WireFormatError) return "wrong form";
        if (error instanceof JsonSyntaxError) return "no JSON";
        throw error;
      }
    },
  }),
);
