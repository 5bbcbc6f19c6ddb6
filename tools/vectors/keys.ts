import { thumbprint } from "@sabika/protocol";
import { SIGNER, STRANGER } from "./published_keys.ts";
import type { VectorFile } from "./vector_file.ts";

/** keys.json: the keys that the other files name. */
export async function keyVectors(): Promise<VectorFile> {
  const keys = [];
  for (const { name, source, jwk, privateKeyPem, publicKeyPem } of [SIGNER, STRANGER]) {
    keys.push({
      name,
      source,
      key_id: await thumbprint(jwk),
      private_key_pem: privateKeyPem,
      public_key_pem: publicKeyPem,
      jwk,
    });
  }
  return {
    about: "Published P-256 keys; key_id is the RFC 7638 thumbprint. Never use them for anything.",
    source: "Decisions D22, D23, D43",
    keys,
  };
}
