import {
  importPublicJwk,
  importPublicPem,
  type PublicJwk,
  publicJwk,
  thumbprint,
} from "@sabika/protocol";

/** Reads a public key, PEM or JWK; undefined when it is none on P-256. */
export async function readPublicKey(
  text: string,
): Promise<{ keyId: string; publicJwk: PublicJwk } | undefined> {
  let imported;
  try {
    imported = text.trimStart().startsWith("{")
      ? await importPublicJwk(JSON.parse(text))
      : await importPublicPem(text);
  } catch {
    return undefined;
  }
  if (!imported.ok) return undefined;
  const jwk = await publicJwk(imported.key);
  return { keyId: await thumbprint(jwk), publicJwk: jwk };
}
