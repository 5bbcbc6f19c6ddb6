import {
  importPublicSpki,
  publicJwk,
  rawSignatureFromDer,
  type Signer,
  thumbprint,
} from "@sabika/protocol";
import { KitError } from "./kit_error.ts";

/** The longest message that KMS hashes by itself, in bytes. */
const LONGEST_MESSAGE = 4096;

/** The part of `KMS` of `@aws-sdk/client-kms` that is used. */
export interface KmsLike {
  /** Reads the public key, as SubjectPublicKeyInfo in DER. */
  getPublicKey(input: { KeyId: string }): Promise<{ PublicKey?: Uint8Array | undefined }>;
  /** Signs a message or its digest; the signature comes in DER. */
  sign(input: {
    KeyId: string;
    Message: Uint8Array;
    MessageType: "RAW" | "DIGEST";
    SigningAlgorithm: "ECDSA_SHA_256";
  }): Promise<{ Signature?: Uint8Array | undefined }>;
}

/**
 * Makes a signer of a key in AWS KMS, of the spec `ECC_NIST_P256` and for `SIGN_VERIFY` (Decision D119).
 *
 * @param kms the client of AWS, whose rights are `kms:GetPublicKey` and `kms:Sign`
 * @param keyId the key's id, ARN or alias
 * @returns the signer, and its public key for `makeSigningRequest`
 * @throws {KitError} if the key is not a P-256 key
 * @throws what the client of AWS throws
 * @example
 * ```ts
 * import { type KmsLike, openKit, openKmsSigner } from "@sabika/client";
 *
 * async function openBanksKit(kms: KmsLike) { // new KMS({ region: "me-central-1" })
 *   return await openKit({ folder: "kit", signingKey: await openKmsSigner(kms, "alias/sabika") });
 * }
 * console.log(openBanksKit);
 * ```
 */
export async function openKmsSigner(
  kms: KmsLike,
  keyId: string,
): Promise<Signer & { publicKey: CryptoKey }> {
  const { PublicKey: spki = new Uint8Array() } = await kms.getPublicKey({ KeyId: keyId });
  const imported = await importPublicSpki(spki);
  if (!imported.ok) throw new KitError(keyId, `it is no P-256 key: ${imported.code}`);
  return {
    publicKey: imported.key,
    keyId: await thumbprint(await publicJwk(imported.key)),
    sign: async (input) => {
      const isShort = input.length <= LONGEST_MESSAGE;
      const { Signature: der = new Uint8Array() } = await kms.sign({
        KeyId: keyId,
        Message: isShort ? input : new Uint8Array(await crypto.subtle.digest("SHA-256", input)),
        MessageType: isShort ? "RAW" : "DIGEST",
        SigningAlgorithm: "ECDSA_SHA_256",
      });
      return rawSignatureFromDer(der) ?? der;
    },
  };
}
