import { test } from "node:test";
import { assertEquals, assertThrows } from "@std/assert";
import { forwardedCertificateHash, hexToThumbprint, readForwardedCertificateHash } from "./mod.ts";

const HASH = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

test("the forwarded hash is read as it was written", () => {
  assertEquals(readForwardedCertificateHash(forwardedCertificateHash(HASH)), HASH);
});

const REFUSED: Record<string, string> = {
  "nothing": "",
  "the hash alone": HASH,
  "a key in lower case": `hash=${HASH}`,
  "digits in upper case": `Hash=${HASH.toUpperCase()}`,
  "63 digits": `Hash=${HASH.slice(1)}`,
  "65 digits": `Hash=${HASH}0`,
  "two elements": `Hash=${HASH},Hash=${HASH}`,
  "a second field": `Hash=${HASH};Subject="CN=demo"`,
  "a field before": `By=spiffe://x;Hash=${HASH}`,
  "quotes": `Hash="${HASH}"`,
  "a blank before": ` Hash=${HASH}`,
  "a line feed after": `Hash=${HASH}\n`,
};
for (const [name, header] of Object.entries(REFUSED)) {
  test(`readForwardedCertificateHash() refuses ${name}`, () => {
    assertEquals(readForwardedCertificateHash(header), undefined);
  });
}

test("hexToThumbprint() throws for a text that is not a SHA-256 hash", () => {
  assertThrows(() => hexToThumbprint(HASH.slice(2)), TypeError);
});
