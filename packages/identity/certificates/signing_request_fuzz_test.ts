import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { Buffer } from "node:buffer";
import { fuzz } from "../../../test/support/fuzz/fuzz.ts";
import { ES256, generateP256, toPem } from "../keys/p256.ts";
import { isOrganisation } from "./organisation.ts";
import { readSigningRequest } from "./signing_request.ts";
import { Name, Pkcs10CertificateRequestGenerator } from "./x509.ts";

const CLIENT_ID = "bank-one";
const keys = await generateP256();
const spki = new Uint8Array(await crypto.subtle.exportKey("spki", keys.publicKey));
const make = (organisation: string, clientId: string) =>
  Pkcs10CertificateRequestGenerator.create({
    name: new Name([{ O: [{ utf8String: organisation }] }, { CN: [{ utf8String: clientId }] }]),
    keys,
    signingAlgorithm: ES256,
  });
const good = await make("Bank One", CLIENT_ID);

/** The library throws when it is asked for the key. */
const CURVE_IS_NO_IDENTIFIER = Buffer.from(
  "MIHgMIGIAgEAMCYxETAPBgNVBAoMCEJhbmsgT25lMREwDwYDVQQDDAhiYW5rLW9uZTBZMBMGByqGSM49AgECCCqGSM49AwEH" +
    "A0IABC7o7EmzjF40DVUo7Hj8kprRkzAZjOsKLP1CI1aAUGCILei7d6vss2CtMQfpwrkYWPknnWsnqqpqsxCaYwlBI1Gg" +
    "ADAKBggqhkjOPQQDAgNHADBEAiA/PGbmE8oW8yqekKLdgxL/RKdXgzUwFnMvpycUOfgibwIgHtvEBOknuFcaKKFacvCe" +
    "QwYVQGOAXswQRA4A8PLNk+g=",
  "base64",
);

async function judgePem(pem: string): Promise<string> {
  const read = await readSigningRequest(pem, CLIENT_ID);
  if (!read.ok) return assertInvalid(read);
  assertEquals(new Uint8Array(read.value.publicKey), spki, "a key that signed nothing");
  assert(isOrganisation(read.value.organisation), JSON.stringify(read.value.organisation));
  return "accepted";
}

function assertInvalid({ code, detail }: { code: string; detail?: string }): string {
  assertEquals(code, "invalid_csr");
  return detail ?? code;
}

test(
  "fuzz: the DER of a certificate signing request is read correctly or refused",
  fuzz({
    samples: [new Uint8Array(good.rawData)],
    words: [
      [0x30, 0x80],
      [0x30, 0x84, 0xff, 0xff, 0xff, 0xff],
      [0x02, 0x01, 0x00],
      [0x05, 0x00],
      [
        0xa0,
        0x00,
      ],
      [0x06, 0x03, 0x55, 0x04, 0x0a],
      [0x13, 0x04, 0x1b, 0x5b, 0x33, 0x31],
      [
        0x1e,
        0x02,
        0x20,
        0x2e,
      ],
    ].map((bytes) => Uint8Array.from(bytes)),
    found: [CURVE_IS_NO_IDENTIFIER],
    judge: (input) => judgePem(toPem("CERTIFICATE REQUEST", input)),
  }),
);
