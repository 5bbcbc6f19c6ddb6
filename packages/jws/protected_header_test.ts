import { test } from "node:test";
import { assertEquals, assertThrows } from "@std/assert";
import { decodeBase64Url, encodeBase64Url, type JwsErrorCode } from "./mod.ts";
import { decodeProtectedHeader, encodeProtectedHeader } from "./protected_header.ts";

const KID = "0123456789abcdefghijklmnopqrstuvwxyz-_ABCDE";
const segment = (json: string): string => encodeBase64Url(new TextEncoder().encode(json));

test("encodeProtectedHeader() writes alg, b64 and crit, and kid when it is given", () => {
  const text = (encoded: string) => new TextDecoder().decode(decodeBase64Url(encoded));
  assertEquals(
    text(encodeProtectedHeader(undefined)),
    '{"alg":"ES256","b64":false,"crit":["b64"]}',
  );
  assertEquals(
    text(encodeProtectedHeader(KID)),
    `{"alg":"ES256","b64":false,"crit":["b64"],"kid":"${KID}"}`,
  );
});

test("encodeProtectedHeader() throws for a key id that is no thumbprint", () => {
  for (const keyId of ["", "key-1", `${KID}A`, `${KID.slice(1)}"`]) {
    assertThrows(() => encodeProtectedHeader(keyId), TypeError, "thumbprint");
  }
});

test("decodeProtectedHeader() gives the same for a header that it has seen", () => {
  const encoded = encodeProtectedHeader(KID);
  assertEquals(decodeProtectedHeader(encoded), decodeProtectedHeader(encoded));
});

test("decodeProtectedHeader() still reads right after thousands of different headers", () => {
  for (let i = 0; i < 3000; i++) {
    const keyId = `${KID.slice(5)}${String(i).padStart(5, "0")}`;
    assertEquals(decodeProtectedHeader(encodeProtectedHeader(keyId)), { ok: true, keyId });
  }
  assertEquals(decodeProtectedHeader(encodeProtectedHeader(undefined)), {
    ok: true,
    keyId: undefined,
  });
});

const withAlg = (alg: string): string => `{"alg":${alg},"b64":false,"crit":["b64"]}`;
const withB64 = (b64: string): string => `{"alg":"ES256","b64":${b64},"crit":["b64"]}`;
const withCrit = (crit: string): string => `{"alg":"ES256","b64":false,"crit":${crit}}`;
const withMore = (more: string): string => `{"alg":"ES256","b64":false,"crit":["b64"],${more}}`;

// F43 and F44 of the fault catalogue; more of them are vectors (vectors_test.ts of protocol).
const REFUSED: readonly (readonly [string, JwsErrorCode])[] = [
  [withAlg('"None"'), "alg_not_es256"],
  [withAlg('"ES384"'), "alg_not_es256"],
  [withAlg('"ES512"'), "alg_not_es256"],
  [withAlg('"RS256"'), "alg_not_es256"],
  [withAlg('"ES256 "'), "alg_not_es256"],
  [withAlg("256"), "alg_not_es256"],
  [withAlg("null"), "alg_not_es256"],
  [withAlg('["ES256"]'), "alg_not_es256"],
  [withB64("null"), "b64_not_false"],
  [withB64("0"), "b64_not_false"],
  ['{"alg":"ES256"}', "b64_not_false"],
  ["{}", "alg_not_es256"],
  [withCrit('["b64","b64"]'), "crit_not_b64"],
  [withCrit('["exp"]'), "crit_not_b64"],
  [withCrit('["b64","x"]'), "crit_not_b64"],
  [withCrit('[["b64"]]'), "crit_not_b64"],
  [withCrit('"b64"'), "crit_not_b64"],
  [withCrit('{"0":"b64","length":1}'), "crit_not_b64"],
  [withCrit("null"), "crit_not_b64"],
  [withMore('"alg":"ES256"'), "header_member_duplicate"],
  [withMore('"b64":false'), "header_member_duplicate"],
  [withMore('"crit":["b64"]'), "header_member_duplicate"],
  ['{"alg":"x:y","alg":"ES256","b64":false,"crit":["b64"]}', "header_member_duplicate"],
  ['{"b64":true,"alg":"ES256","b64":false,"crit":["b64"]}', "header_member_duplicate"],
  [withMore('"jku":"https://example.com/"'), "header_member_unknown"],
  [withMore('"x5u":"https://example.com/"'), "header_member_unknown"],
  [withMore('"x5c":[]'), "header_member_unknown"],
  [withMore('"Alg":"ES256"'), "header_member_unknown"],
  [withMore('"__proto__":{}'), "header_member_unknown"],
  ['{"__proto__":{"alg":"ES256","b64":false,"crit":["b64"]}}', "header_member_unknown"],
  [withMore('"kid":""'), "kid_malformed"],
  [withMore('"kid":null'), "kid_malformed"],
  [withMore('"kid":7'), "kid_malformed"],
  [withMore(`"kid":["${KID}"]`), "kid_malformed"],
  [withMore(`"kid":"../../${KID.slice(6)}"`), "kid_malformed"],
  ["{'alg':'ES256','b64':false,'crit':['b64']}", "header_malformed"],
  ['{"alg":"ES256","b64":false,"crit":["b64"]}{}', "header_malformed"],
  ['{"alg":"ES256","b64":false,"crit":["b64"]}\u0000', "header_malformed"],
  ['[{"alg":"ES256","b64":false,"crit":["b64"]}]', "header_malformed"],
  ['"ES256"', "header_malformed"],
  ["null", "header_malformed"],
  ["", "header_malformed"],
  ["ES256", "header_malformed"],
  [`{"alg":"ES256","b64":false,"crit":["b64"]${" ".repeat(8192)}}`, "header_malformed"],
];
for (const [json, code] of REFUSED) {
  test(`decodeProtectedHeader() refuses ${json.slice(0, 70)} as ${code}`, () => {
    assertEquals(decodeProtectedHeader(segment(json)), code);
    // A refusal must not be remembered as something better.
    assertEquals(decodeProtectedHeader(segment(json)), code);
  });
}

test("decodeProtectedHeader() refuses a segment that is not canonical base64url", () => {
  const right = encodeProtectedHeader(undefined);
  for (
    const wrong of [`${right}=`, `${right}==`, `${right} `, right.replace("e", "+"), `${right}A`]
  ) {
    assertEquals(decodeProtectedHeader(wrong), "header_not_base64url");
  }
});

test("decodeProtectedHeader() refuses bytes that are not ASCII", () => {
  assertEquals(
    decodeProtectedHeader(encodeBase64Url(Uint8Array.of(0xff, 0xfe))),
    "header_malformed",
  );
  assertEquals(decodeProtectedHeader(segment('{"alg":"ES256\u0130"}')), "header_malformed");
});
