import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import {
  canonicalString,
  decodeBase64Url,
  decodeUtf8,
  encodeHex,
  encodeUtf8,
} from "@sabika/protocol";

const read = (name: string) => readFile(new URL(`../../docs/${name}`, import.meta.url), "utf8");
const page = await read("signing.md");
const [vector] = JSON.parse(await read("vectors/canonical_string.json")).vectors;
const [key] = JSON.parse(await read("vectors/keys.json")).keys;

/** Reads the content of a block of the page. */
function block(name: string): string {
  const found = new RegExp(`^\`\`\`text ${name}\n([^]*?)\n\`\`\`$`, "m").exec(page);
  assert(found, `no block "${name}"`);
  return found[1]!;
}

const sha256 = async (text: string) =>
  encodeHex(new Uint8Array(await crypto.subtle.digest("SHA-256", encodeUtf8(text))));

test("the example of the signing page is the vector that it names, step by step", async () => {
  assert(page.includes(`the vector \`${vector.name}\``));
  assertEquals([block("private key"), block("key id")], [key.private_key_pem.trim(), key.key_id]);
  assertEquals([block("body"), block("body hash")], [vector.body, vector.body_sha256]);
  assertEquals(await sha256(block("body")), block("body hash"));
  assertEquals(block("canonical string"), vector.canonical);
  const { method, url, timestamp, nonce } = vector;
  const bodySha256 = block("body hash");
  assertEquals(canonicalString({ method, url, bodySha256, timestamp, nonce }), vector.canonical);
  for (const part of [method, url, timestamp, nonce]) assert(page.includes(`\`${part}\``), part);
  assertEquals(block("canonical hash"), vector.canonical_sha256);
  assertEquals(block("X-JWS-Signature"), vector.jws);
  const [header, payload, signature] = vector.jws.split(".");
  assertEquals([block("encoded header"), payload], [header, ""]);
  assertEquals(decodeUtf8(decodeBase64Url(header)!), block("header"));
  assertEquals(block("encoded signature"), signature);
  assertEquals(encodeHex(decodeBase64Url(signature)!), block("r") + block("s"));
  assertEquals(
    block("hash of the signing input"),
    await sha256(`${block("encoded header")}.${block("canonical string")}`),
  );
});

test("the dump of the canonical string is its bytes, and the lengths are as the page says", () => {
  const hex = [...block("canonical bytes").matchAll(/^[0-9a-f]{8} {2}([0-9a-f ]+?) {2,}[|]/gm)]
    .map(([, bytes]) => bytes!.replaceAll(" ", "")).join("");
  const canonical = encodeUtf8(vector.canonical);
  assertEquals(hex, encodeHex(canonical));
  assert(page.includes(`Its ${canonical.length} bytes:`));
  const input = block("encoded header").length + 1 + canonical.length;
  assert(page.includes(`That is ${input} bytes.`));
});
