import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { each } from "../../../test/support/each.ts";
import { fuzz } from "../../../test/support/fuzz/fuzz.ts";
import { generateP256, toPem } from "../keys/p256.ts";
import { readSigningKeyOf } from "./signing_keys.ts";

const { publicKey } = await generateP256();
const spki = new Uint8Array(await crypto.subtle.exportKey("spki", publicKey));
const jwk = JSON.stringify(await crypto.subtle.exportKey("jwk", publicKey));

test(
  "fuzz: the public key of a partner is read correctly or refused",
  fuzz({
    samples: [toPem("PUBLIC KEY", spki), jwk],
    words: [
      ...each('"d":"AA" "kty":"RSA" "crv":"P-384" "use":"enc" "key_ops":["sign"] "alg":"ES384"'),
      ...each('"x":"AA" null [] { } , AAAA = CERTIFICATE'),
      "-----BEGIN CERTIFICATE-----",
      "PRIVATE KEY",
      "EC PARAMETERS",
      "\n",
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
