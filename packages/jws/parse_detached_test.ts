import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { encodeBase64, encodeBase64Url, type JwsErrorCode, parseDetached } from "./mod.ts";
import { encodeProtectedHeader } from "./protected_header.ts";
import { ORDER, rawSignature } from "../../test/support/test_keys.ts";

const HEADER = encodeProtectedHeader(undefined);
const GOOD = encodeBase64Url(rawSignature(1n, 1n));

function codeOf(jws: string): JwsErrorCode | undefined {
  const parsed = parseDetached(jws);
  return parsed.ok ? undefined : parsed.code;
}

// F45 of the fault catalogue.
const SHAPES: Record<string, readonly [string, JwsErrorCode]> = {
  "one segment": [HEADER, "not_three_segments"],
  "a JWE's five segments": [`${HEADER}....${GOOD}`, "not_three_segments"],
  "a payload": [`${HEADER}.cGF5bG9hZA.${GOOD}`, "payload_not_empty"],
  "a blank for payload": [`${HEADER}. .${GOOD}`, "payload_not_empty"],
  "no header": [`..${GOOD}`, "header_malformed"],
  "a blank before": [` ${HEADER}..${GOOD}`, "header_not_base64url"],
  "a blank after": [`${HEADER}..${GOOD} `, "signature_not_base64url"],
  "a line feed inside": [
    `${HEADER}..${GOOD.slice(0, 40)}\n${GOOD.slice(40)}`,
    "signature_not_base64url",
  ],
  "standard base64": [
    `${HEADER}..${encodeBase64(rawSignature(1n, 1n))}`,
    "signature_not_base64url",
  ],
  "a byte": [`${HEADER}..AA`, "signature_length"],
  "65 bytes": [`${HEADER}..${encodeBase64Url(new Uint8Array(65))}`, "signature_length"],
  "100 000 letters": [`${HEADER}..${"A".repeat(100_000)}`, "signature_length"],
};
for (const [name, [jws, code]] of Object.entries(SHAPES)) {
  test(`parseDetached() refuses ${name}`, () => assertEquals(codeOf(jws), code));
}

const MAX = 2n ** 256n - 1n;
const RANGES: Record<string, readonly [bigint, bigint, JwsErrorCode | undefined]> = {
  "r = n + 1": [ORDER + 1n, 1n, "signature_out_of_range"],
  "s = n + 1": [1n, ORDER + 1n, "signature_out_of_range"],
  "all ones": [MAX, MAX, "signature_out_of_range"],
  "r = 1, s = 1": [1n, 1n, undefined],
  "r = n - 1, s = n - 1, which is high": [ORDER - 1n, ORDER - 1n, undefined],
  "r = 2^255, s = 1": [2n ** 255n, 1n, undefined],
};
for (const [name, [r, s, code]] of Object.entries(RANGES)) {
  test(`parseDetached() ${code === undefined ? "accepts" : "refuses"} ${name}`, () => {
    assertEquals(codeOf(`${HEADER}..${encodeBase64Url(rawSignature(r, s))}`), code);
  });
}
