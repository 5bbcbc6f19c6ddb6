import type { TokenKey } from "@sabika/identity/tokens";
import { makeKeys } from "./test_keys.ts";

/** Makes an issuer of tokens: `https://sabika.test`, a sandbox, with the single key `k1`. */
export async function testIssuer(now: () => number) {
  const keys = await makeKeys();
  const { crv, kty, x, y } = await crypto.subtle.exportKey("jwk", keys.publicKey);
  const publicJwk = { crv, kty, x, y } as TokenKey["publicJwk"];
  const key: TokenKey = { keyId: "k1", publicJwk, ...keys, validFromMs: 0, validUntilMs: null };
  const issuer = {
    baseUrl: "https://sabika.test",
    environment: "sandbox" as const,
    keys: {
      signingTokenKey: () => key,
      tokenKey: (keyId: string) => keyId === "k1" ? key : undefined,
      tokenKeys: () => [key],
      isTokenRevoked: () => false,
    },
    now,
    random: (length: number) => new Uint8Array(length),
  };
  return { issuer, keys, publicJwk };
}
