import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { encodeBase64, encodeBase64Url, encodeHex } from "@sabika/protocol";
import { createSecretSearch } from "./find_secrets.ts";
import { secretsIn } from "./secrets_in.ts";

const bytes = crypto.getRandomValues(new Uint8Array(32));
const noise = (lines: number) => "something was said, and nothing in it\n".repeat(lines);

test("a known text is found wherever it begins, and told by kind and line alone", () => {
  const secret = "0123456789abcde";
  const search = createSecretSearch([{ kind: "edge secret", value: secret }]);
  for (let before = 0; before < 20; before++) {
    const text = `${noise(3)}${"x".repeat(before)}${secret}y\n${noise(2)}`;
    assertEquals(search(text), [{ kind: "edge secret", line: 4 }], `${before} before it`);
  }
  assertEquals(search(noise(10) + secret.slice(1)), []);
});

test("what looks like a secret is found although nobody knows it", () => {
  const search = createSecretSearch([]);
  const signature = encodeBase64Url(crypto.getRandomValues(new Uint8Array(64)));
  for (
    const planted of [
      `eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJiYW5rIn0.${signature}`,
      `eyJhbGciOiJFUzI1NiJ9..${signature}`,
      "authorization: Bearer eyJh",
      `whsec_${encodeBase64(bytes)}`,
      `sk_${encodeBase64Url(bytes)}`,
      "-----BEGIN EC PRIVATE KEY-----",
    ]
  ) {
    assertEquals(search(noise(1) + planted).map(({ line }) => line), [2], planted.slice(0, 12));
  }
});

test("a secret of each kind that tests register is found where it is planted", async () => {
  const keys = await crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, true, [
    "sign",
  ]) as CryptoKeyPair;
  const der = new Uint8Array(await crypto.subtle.exportKey("pkcs8", keys.privateKey));
  const { d } = await crypto.subtle.exportKey("jwk", keys.privateKey);
  const pem = `-----BEGIN PRIVATE KEY-----\n${
    encodeBase64(der).replace(/.{64}/g, "$&\n")
  }\n-----END PRIVATE KEY-----\n`;
  const base64 = encodeBase64(bytes);
  /** Inside of something longer base64 spells bytes otherwise. */
  const inside = (before: number) =>
    encodeBase64(Uint8Array.from([...Array(before).fill(7), ...bytes, 7, 7]));
  const signature = encodeBase64Url(crypto.getRandomValues(new Uint8Array(64)));
  const cases: [kind: string, shown: string, planted: string[]][] = [
    ["client secret", `{"client_secret": "sk_${signature.slice(0, 43)}"}`, [
      `sk_${signature.slice(0, 43)}`,
    ]],
    ["webhook secret", `{"webhook_secret": "whsec_${base64}"}`, [base64, encodeHex(bytes)]],
    ["master key", `2026-1:${base64}\n`, [inside(1), inside(2), inside(3), encodeHex(bytes)]],
    ["private key", pem, [d!, encodeBase64(der), encodeHex(der)]],
    ["access token", `{"access_token":"eyJhIjoxfQ.eyJiIjoyfQ.${signature}"}`, [signature]],
    ["signature", `x-jws-signature: eyJhIjoxfQ..${signature}`, [signature]],
    ["database password", "postgres://sabika:0123456789abcdef@127.0.0.1:1/x", ["0123456789abcdef"]],
  ];
  for (const [kind, shown, planted] of cases) {
    const secrets = secretsIn(shown);
    assertEquals(secrets.map((secret) => secret.kind), [kind]);
    const search = createSecretSearch(secrets);
    for (const secret of planted) {
      const kinds = search(`${noise(2)}level=info ${secret}\n`).filter(({ line }) => line === 3);
      assertEquals(kinds.some((finding) => finding.kind === kind), true, kind);
    }
  }
});
