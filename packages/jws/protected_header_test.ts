import { test } from "node:test";
import { assertEquals, assertThrows } from "@std/assert";
import { decodeBase64Url, encodeBase64Url, type JwsErrorCode } from "./mod.ts";
import { decodeProtectedHeader, encodeProtectedHeader } from "./protected_header.ts";

const KID = "0123456789abcdefghijklmnopqrstuvwxyz-_ABCDE";
const segment = (json: string): string => encodeBase64Url(new TextEncoder().encode(json));

test("encodeProtectedHeader() writes alg, b64 and crit, and an optional kid", () => {
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

test("encodeProtectedHeader() throws for a key id that is not a thumbprint", () => {
  for (const keyId of ["", "key-1", `${KID}A`, `${KID.slice(1)}"`]) {
    assertThrows(() => encodeProtectedHeader(keyId), TypeError, "thumbprint");
  }
});

test("decodeProtectedHeader() reads correctly after thousands of different headers", () => {
  for (let i = 0; i < 3000; i++) {
    const keyId = `${KID.slice(5)}${String(i).padStart(5, "0")}`;
    assertEquals(decodeProtectedHeader(encodeProtectedHeader(keyId)), { ok: true, keyId });
  }
  assertEquals(decodeProtectedHeader(encodeProtectedHeader(undefined)), {
    ok: true,
    keyId: undefined,
  });
});

const RIGHT = '"alg":"ES256","b64":false,"crit":["b64"]';

// F43 and F44 of the fault catalogue: refusals that neither the vectors (vectors_test.ts of protocol)
// contain nor the fuzz test of signed headers checks, because it looks only at accepted headers.
const REFUSED = {
  alg_not_es256: ["{}", '{"alg":"ES256 "}', '{"alg":null}', '{"alg":["ES256"]}'],
  b64_not_false: ['{"alg":"ES256"}', '{"alg":"ES256","b64":null}', '{"alg":"ES256","b64":0}'],
  crit_not_b64: ['["b64","b64"]', '["exp"]', '[["b64"]]', '"b64"', '{"0":"b64","length":1}', "null"]
    .map((crit) => `{"alg":"ES256","b64":false,"crit":${crit}}`),
  header_member_duplicate: [
    `{${RIGHT},"b64":false}`,
    `{${RIGHT},"crit":["b64"]}`,
    `{"alg":"x:y",${RIGHT}}`,
    `{"b64":true,${RIGHT}}`,
  ],
  header_member_unknown: [
    `{${RIGHT},"Alg":"ES256"}`,
    `{${RIGHT},"__proto__":{}}`,
    `{"__proto__":{${RIGHT}}}`,
  ],
  kid_malformed: ['""', "null", "7", `["${KID}"]`, `"../../${KID.slice(6)}"`]
    .map((kid) => `{${RIGHT},"kid":${kid}}`),
  header_malformed: [
    `{${RIGHT}}{}`,
    `{${RIGHT}}\0`,
    `{${RIGHT}${" ".repeat(8192)}}`,
    "null",
    '""',
    "",
  ],
} satisfies Partial<Record<JwsErrorCode, readonly string[]>>;
for (const [code, headers] of Object.entries(REFUSED)) {
  test(`decodeProtectedHeader() refuses as ${code}, also when it sees the header again`, () => {
    for (const json of headers) {
      for (const answer of [1, 2].map(() => decodeProtectedHeader(segment(json)))) {
        assertEquals<unknown>(answer, code, json.slice(0, 70));
      }
    }
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
