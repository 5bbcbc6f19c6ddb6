import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { FlattenedSign, flattenedVerify } from "jose";
import {
  decodeBase64Url,
  encodeBase64Url,
  importPublicJwk,
  signDetached,
  verifyDetached,
  verifyParsed,
} from "./mod.ts";
import { makeKeys } from "../../test/support/test_keys.ts";

const utf8 = new TextEncoder();
const PAYLOAD = "POST\n/v1/orders\nab\n1795167000\n0123456789abcdef";
const HEADER = { alg: "ES256", b64: false, crit: ["b64"] } as const;

test("text and its UTF-8 bytes are the same payload", async () => {
  const { privateKey, publicKey } = await makeKeys();
  const text = "GET\nhttps://سبيكة.example/\u{1f947}";
  const bytes = utf8.encode(`..${text}..`).subarray(2, -2);
  const ofText = await signDetached(text, privateKey);
  const ofBytes = await signDetached(bytes, privateKey);
  assert((await verifyDetached(ofText, bytes, publicKey)).ok);
  assert((await verifyDetached(ofBytes, text, publicKey)).ok);
});

test("signDetached() and jose agree with each other on any payload", async () => {
  const { privateKey, publicKey } = await makeKeys();
  const payloads = fc.uint8Array({ maxLength: 200 });
  await fc.assert(
    fc.asyncProperty(payloads, payloads, async (payload, other) => {
      const jws = await signDetached(payload, privateKey);
      assert((await verifyDetached(jws, payload, publicKey)).ok);
      const [protectedHeader, , signature] = jws.split(".");
      const read = await flattenedVerify(
        { protected: protectedHeader!, payload, signature: signature! },
        publicKey,
        { crit: { b64: true } },
      );
      assertEquals(read.protectedHeader, { ...HEADER, crit: ["b64"] });
      const same = payload.length === other.length && payload.every((byte, i) => byte === other[i]);
      assertEquals((await verifyDetached(jws, other, publicKey)).ok, same);
      const joseJws = await new FlattenedSign(payload)
        .setProtectedHeader({ ...HEADER, crit: ["b64"] })
        .sign(privateKey);
      const compact = `${joseJws.protected}..${joseJws.signature}`;
      assert((await verifyDetached(compact, payload, publicKey)).ok);
    }),
    { numRuns: 50 },
  );
});

test("the ES256 example of RFC 7515 verifies with its own signing input", async () => {
  // RFC 7515 appendix A.3: with b64=true, so the payload here is the encoded one.
  const imported = await importPublicJwk({
    kty: "EC",
    crv: "P-256",
    x: "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
    y: "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0",
  });
  assert(imported.ok);
  const signature = decodeBase64Url(
    "DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q",
  );
  assert(signature !== undefined);
  const payload = "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFt" +
    "cGxlLmNvbS9pc19yb290Ijp0cnVlfQ";
  const jws = {
    ok: true,
    protectedSegment: "eyJhbGciOiJFUzI1NiJ9",
    keyId: undefined,
    signature,
  } as const;
  assert(await verifyParsed(jws, payload, imported.key));
  assert(!await verifyParsed(jws, `${payload}A`, imported.key));
});

test("verifyDetached() refuses any change of a letter of the signature", async () => {
  const { privateKey, publicKey } = await makeKeys();
  const jws = await signDetached(PAYLOAD, privateKey);
  const start = jws.lastIndexOf(".") + 1;
  for (let i = start; i < jws.length; i++) {
    const other = jws[i] === "A" ? "B" : "A";
    const changed = jws.slice(0, i) + other + jws.slice(i + 1);
    assert(!(await verifyDetached(changed, PAYLOAD, publicKey)).ok, `letter ${i - start}`);
  }
});

test("a full stop cannot move between header and payload", async () => {
  const { privateKey, publicKey } = await makeKeys();
  const jws = await signDetached(`a.${PAYLOAD}`, privateKey);
  assert(!(await verifyDetached(jws, PAYLOAD, publicKey)).ok);
});

test("a MAC keyed with the public key is refused", async () => {
  // The classic confusion of algorithms: HS256 with a key that everybody knows.
  const { publicKey } = await makeKeys();
  const spki = await crypto.subtle.exportKey("spki", publicKey);
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", spki, algorithm, false, ["sign"]);
  for (const alg of ["HS256", "ES256"]) {
    const header = encodeBase64Url(utf8.encode(JSON.stringify({ ...HEADER, alg })));
    const mac = await crypto.subtle.sign("HMAC", key, utf8.encode(`${header}.${PAYLOAD}`));
    const jws = `${header}..${encodeBase64Url(new Uint8Array(mac))}`;
    const verification = await verifyDetached(jws, PAYLOAD, publicKey);
    assert(!verification.ok);
    assertEquals(verification.code, alg === "HS256" ? "alg_not_es256" : "signature_length");
  }
});
