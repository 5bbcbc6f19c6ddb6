import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { fuzz } from "../../../test/support/fuzz/fuzz.ts";
import { generateP256, toPem } from "../keys/p256.ts";
import { readSigningKeyOf } from "./signing_keys.ts";

const { publicKey } = await generateP256();
const spki = new Uint8Array(await crypto.subtle.exportKey("spki", publicKey));
const jwk = JSON.stringify(await crypto.subtle.exportKey("jwk", publicKey));

test(
  "fuzz: the public key of a partner is read right or refused",
  fuzz({
    samples: [toPem("PUBLIC KEY", spki), jwk],
    words: [
      ...[
        "-----BEGIN CERTIFICATE-----",
        "PRIVATE KEY",
        "CERTIFICATE REQUEST-----",
        "EC PARAMETERS",
        "\n",
      ],
      ...[
        `"d":"AA"`,
        `"kty":"RSA"`,
        `"crv":"P-384"`,
        `"use":"enc"`,
        `"key_ops":["sign"]`,
        `"alg":"ES384"`,
      ],
      ...[`"x":"AA"`, "null", "[]", "{", "}", ",", "AAAA", "="],
    ],
    async judge(input) {
      const key = await readSigningKeyOf("bank-one", new TextDecoder().decode(input), "sandbox");
      if (!key.ok) {
        assert(["invalid_signing_key", "invalid_csr"].includes(key.code), key.code);
        return key.detail ?? key.code;
      }
      // Web Crypto takes it too, and it names a point of P-256.
      const { publicJwk, keyId } = key.value;
      await crypto.subtle.importKey(
        "jwk",
        publicJwk,
        { name: "ECDSA", namedCurve: "P-256" },
        true,
        ["verify"],
      );
      assertEquals([Object.keys(publicJwk).sort(), keyId.length], [["crv", "kty", "x", "y"], 43]);
      return "accepted";
    },
  }),
);

test(
  "fuzz: the DER of a partner's public key is read right or refused",
  fuzz({
    samples: [spki],
    words: [[0x30, 0x80], [0x30, 0x84], [0x03, 0x42, 0x00, 0x04], [0x02, 0x01, 0x00], [0x05, 0x00]]
      .map((bytes) => Uint8Array.from(bytes)),
    async judge(input) {
      const key = await readSigningKeyOf("bank-one", toPem("PUBLIC KEY", input), "sandbox");
      if (!key.ok) return key.detail ?? key.code;
      const { x, y } = JSON.parse(jwk);
      const { publicJwk } = key.value;
      // Another point than the sample's is on the curve by chance alone, as one in 2^128.
      assertEquals([publicJwk.x, publicJwk.y].sort(), [x, y].sort());
      return "accepted";
    },
  }),
);
