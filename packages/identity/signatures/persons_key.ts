import { decodePem, importPrivatePem, type PublicJwk, thumbprint } from "@sabika/protocol";
import { ES256, exportPrivateKey, generateP256, toPem } from "../keys/p256.ts";
import type { PersonsKey } from "./signed_act.ts";

/** Makes a person's key pair, both halves as PEM; the private one is for the person's own file. */
export async function makePersonsKey(): Promise<{ privatePem: string; publicPem: string }> {
  const { privateKey, publicKey } = await generateP256();
  const spki = new Uint8Array(await crypto.subtle.exportKey("spki", publicKey));
  return {
    privatePem: toPem("PRIVATE KEY", await exportPrivateKey(privateKey)),
    publicPem: toPem("PUBLIC KEY", spki),
  };
}

/** Reads a person's private key from PEM (PKCS #8, P-256); undefined when the text is not such a key. */
export async function readPersonsKey(pem: string): Promise<PersonsKey | undefined> {
  const imported = await importPrivatePem(pem);
  if (!imported.ok) return undefined;
  const { bytes } = decodePem(pem)!;
  // Only what can be exported says which public key it has.
  const readable = await crypto.subtle.importKey("pkcs8", bytes.slice(), ES256, true, ["sign"]);
  const { x, y } = await crypto.subtle.exportKey("jwk", readable);
  const publicJwk = { kty: "EC", crv: "P-256", x: x!, y: y! } satisfies PublicJwk;
  return { keyId: await thumbprint(publicJwk), privateKey: imported.key };
}
