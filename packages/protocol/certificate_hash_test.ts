import { test } from "node:test";
import { assertEquals, assertThrows } from "@std/assert";
import {
  encodeHex,
  forwardedCertificateHash,
  hexToThumbprint,
  normaliseCertificateHash,
  readForwardedCertificateHash,
} from "./mod.ts";

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

test("normaliseCertificateHash() takes what openssl and node:tls print", () => {
  const printed = HASH.toUpperCase().match(/../g)!.join(":");
  assertEquals(normaliseCertificateHash(printed), HASH);
  assertEquals(normaliseCertificateHash(HASH), HASH);
  for (const text of ["", "AB:CD", `${HASH}00`, `${HASH.slice(1)}g`]) {
    assertEquals(normaliseCertificateHash(text), undefined);
  }
});

test("hexToThumbprint() is the x5t#S256 of RFC 8705", () => {
  // RFC 8705 §3.1 shows this thumbprint.
  const thumbprint = "bwcK0esc3ACC3DB2Y5_lESsXE8o9ltc05O89jdN-dg2";
  const bytes = Uint8Array.from(
    atob(`${thumbprint.replaceAll("-", "+").replaceAll("_", "/")}=`),
    (letter) => letter.charCodeAt(0),
  );
  // The RFC's example has an idle bit set in its last letter; what is encoded here has not.
  assertEquals(hexToThumbprint(encodeHex(bytes)).slice(0, 42), thumbprint.slice(0, 42));
  assertThrows(() => hexToThumbprint(HASH.slice(2)), TypeError);
});
