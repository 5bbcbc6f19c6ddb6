import {
  decodeBase64Url,
  decodeUtf8,
  encodeBase64Url,
  encodeUtf8,
  importPublicJwk,
  parseCompact,
  type PublicJwk,
  publicJwk as toPublicJwk,
  signCompact,
  thumbprint,
  verifyParsed,
} from "@sabika/protocol";
import { generateP256 } from "../keys/p256.ts";
import type { KeyService } from "../secrets/key_service.ts";

/** Signs files that other programs of the deployment read. */
export interface FileSigner {
  /** The key's public half as it stands in the files, sealed: see `KeyService.isCurrent`. */
  readonly sealedKey: Uint8Array;
  /** Makes a file of this text. `typ` says what it is, so that no other document passes for it. */
  sign(typ: string, text: string): Promise<string>;
}

/** The purpose of the deployment's own keys, as receipt keys have it. */
const identityOf = (keyId: string): string => `sealed_keys/file/${keyId}`;

/**
 * Makes a signer with a key of its own, which never leaves this process. The key service vouches for it: the public
 * key stands sealed in each file, so that only who may seal makes files that others believe (Decision D116).
 */
export async function createFileSigner(keys: Pick<KeyService, "seal">): Promise<FileSigner> {
  const { publicKey, privateKey } = await generateP256();
  const jwk = await toPublicJwk(publicKey);
  const keyId = await thumbprint(jwk);
  const sealedKey = await keys.seal(identityOf(keyId), encodeUtf8(JSON.stringify(jwk)));
  return {
    sealedKey,
    sign: async (typ, text) =>
      `${encodeBase64Url(sealedKey)}\n${await signCompact(encodeUtf8(text), privateKey, {
        typ,
        keyId,
      })}\n`,
  };
}

/**
 * Verifies a file of a signer, and returns its text.
 *
 * @throws {Error} when it is another document, was changed, or its key was not sealed by this deployment
 */
export async function openSignedFile(
  keys: Pick<KeyService, "open">,
  typ: string,
  file: string,
): Promise<string> {
  const [encodedKey = "", compact = ""] = file.split("\n", 2);
  const sealedKey = decodeBase64Url(encodedKey);
  const jws = parseCompact(compact, typ);
  if (sealedKey === undefined || !jws.ok) throw new Error("this is no signed file of that kind");
  const jwk = decodeUtf8(await keys.open(identityOf(jws.keyId), sealedKey)) ?? "";
  const key = await importPublicJwk(JSON.parse(jwk) as PublicJwk);
  const text = decodeUtf8(jws.payload);
  if (!key.ok || text === undefined || !await verifyParsed(jws, jws.payloadSegment, key.key)) {
    throw new Error("the signature does not fit this file");
  }
  return text;
}
