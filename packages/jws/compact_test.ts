import { test } from "node:test";
import { assert, assertEquals, assertRejects } from "@std/assert";
import { CompactSign, compactVerify } from "jose";
import {
  encodeBase64Url,
  parseCompact,
  publicJwk,
  signCompact,
  thumbprint,
  verifyParsed,
} from "./mod.ts";
import { makeKeys } from "../../test/support/test_keys.ts";

const utf8 = new TextEncoder();
const TYP = "sabika-receipt";
const PAYLOAD = utf8.encode('{"order_id":"ord_1"}');
const { privateKey, publicKey } = await makeKeys();
const keyId = await thumbprint(await publicJwk(publicKey));
const jws = await signCompact(PAYLOAD, privateKey, { typ: TYP, keyId });
const [, payload = "", signature = ""] = jws.split(".");

test("signCompact() and jose agree with each other", async () => {
  const read = await compactVerify(jws, publicKey);
  assertEquals(read.protectedHeader, { alg: "ES256", kid: keyId, typ: TYP });
  assertEquals(new Uint8Array(read.payload), PAYLOAD);
  const theirs = await new CompactSign(PAYLOAD)
    .setProtectedHeader({ typ: TYP, alg: "ES256", kid: keyId }).sign(privateKey);
  const parsed = parseCompact(theirs, TYP);
  assert(parsed.ok);
  assertEquals(parsed.keyId, keyId);
  assertEquals(parsed.payload, PAYLOAD);
  assert(await verifyParsed(parsed, parsed.payloadSegment, publicKey));
});

test("a changed payload does not verify", async () => {
  const parsed = parseCompact(jws, TYP);
  assert(parsed.ok);
  const other = encodeBase64Url(utf8.encode('{"order_id":"ord_2"}'));
  assert(!await verifyParsed(parsed, other, publicKey));
});

const withHeader = (json: string) =>
  `${encodeBase64Url(utf8.encode(json))}.${payload}.${signature}`;
const RIGHT = `"alg":"ES256","kid":"${keyId}","typ":"${TYP}"`;

const REFUSED: Record<string, readonly string[]> = {
  not_three_segments: ["", jws.split(".", 2).join("."), `${jws}.`, `${jws}.${signature}`],
  header_malformed: [withHeader(`{${RIGHT}}{}`), withHeader("[]"), withHeader(`{"\\u0061lg":1}`)],
  header_not_base64url: [`=${jws}`],
  header_member_unknown: [withHeader(`{${RIGHT},"b64":false}`), withHeader(`{${RIGHT},"jwk":{}}`)],
  header_member_duplicate: [withHeader(`{"alg":"none",${RIGHT}}`)],
  alg_not_es256: ["none", "HS256", "ES384", "es256"].map((alg) =>
    withHeader(`{"alg":"${alg}","kid":"${keyId}","typ":"${TYP}"}`)
  ),
  kid_malformed: [withHeader(`{"alg":"ES256","typ":"${TYP}"}`)],
  typ_mismatch: [withHeader(`{"alg":"ES256","kid":"${keyId}","typ":"JWT"}`)],
  payload_not_base64url: [jws.replace(`.${payload}.`, `.${payload}=.`)],
  signature_not_base64url: [`${jws}\n`],
  signature_length: [jws.slice(0, -2), jws + "A".repeat(400)],
  signature_out_of_range: [`${withHeader(`{${RIGHT}}`).slice(0, -86)}${"A".repeat(86)}`],
};
for (const [code, texts] of Object.entries(REFUSED)) {
  test(`parseCompact() refuses as ${code}`, () => {
    for (const text of texts) {
      assertEquals<unknown>(parseCompact(text, TYP), { ok: false, code }, text.slice(0, 60));
    }
  });
}

test("signCompact() throws for a type or a key id of another form", async () => {
  const names = [{ typ: 'a"b', keyId }, { typ: "", keyId }, { typ: TYP, keyId: "key-1" }];
  for (const header of names) {
    await assertRejects(() => signCompact(PAYLOAD, privateKey, header), TypeError);
  }
});
