import { decodeBase64, encodeBase64, rawSignatureFromDer } from "@sabika/protocol";
import { KeyServiceError } from "../keys/key_service_error.ts";
import { isP256PublicKey, signOpened } from "../keys/p256.ts";
import type { KeyService } from "./key_service.ts";
import type { KmsCall } from "./kms_client.ts";
import { KMS, KMS_SEALED, KMS_SIGNER } from "./seal.ts";
import { purposeOf } from "./wrapping_keys.ts";

const IV_LENGTH = 12;
/** KMS hashes messages up to this length itself, which is the only way that moto supports. */
const LONGEST_MESSAGE = 4096;
/** The most opened data keys in memory; each is used for one or a few values. */
const REMEMBERED = 10_000;
const encoder = new TextEncoder();

/**
 * Creates a key service that uses AWS KMS (Decision D73): each purpose has a key that never leaves KMS
 * (`<prefix><purpose>`), and the issuing authority signs there (`<prefix>issuing`, ECC_NIST_P256). Each
 * value is sealed with its own data key, which precedes the value, sealed by KMS. Opened data keys stay
 * in memory, so that deliveries continue while KMS is away.
 *
 * @param options.before opens what was sealed before the key service was used
 */
export function createKmsKeys(options: {
  call: KmsCall;
  aliasPrefix: string;
  before: KeyService | undefined;
  random: (length: number) => Uint8Array;
}): KeyService {
  const { call, aliasPrefix, before, random } = options;
  const dataKeys = new Map<string, Promise<CryptoKey>>();
  const context = (identity: string) => ({
    KeyId: aliasPrefix + purposeOf(identity),
    EncryptionContext: { purpose: purposeOf(identity) },
  });

  /** The data key in front of a sealed value. */
  function dataKeyOf(identity: string, sealedDataKey: Uint8Array): Promise<CryptoKey> {
    const text = encodeBase64(sealedDataKey);
    const name = `${purposeOf(identity)}/${text}`;
    const known = dataKeys.get(name);
    if (known !== undefined) return known;
    const opened = call("Decrypt", { ...context(identity), CiphertextBlob: text })
      .then((answer) => importDataKey(bytesIn(answer, "Plaintext")));
    if (dataKeys.size >= REMEMBERED) dataKeys.clear();
    dataKeys.set(name, opened);
    // A failure is not remembered, since the next attempt may succeed.
    opened.catch(() => dataKeys.delete(name));
    return opened;
  }

  async function open(identity: string, sealed: Uint8Array): Promise<Uint8Array> {
    if (sealed[0] !== KMS_SEALED) {
      if (before !== undefined && sealed[0] !== KMS_SIGNER) {
        return await before.open(identity, sealed);
      }
      throw new Error(`${identity} is not sealed by the key service, and no master key is at hand`);
    }
    const ivStart = 3 + (sealed[1]! << 8) + sealed[2]!;
    const key = await dataKeyOf(identity, sealed.subarray(3, ivStart));
    const iv = new Uint8Array(sealed.subarray(ivStart, ivStart + IV_LENGTH));
    const algorithm = { name: "AES-GCM", iv, additionalData: boundTo(identity) };
    try {
      const text = new Uint8Array(sealed.subarray(ivStart + IV_LENGTH));
      return new Uint8Array(await crypto.subtle.decrypt(algorithm, key, text));
    } catch {
      throw new Error(`${identity} does not open: it was changed, or belongs to another row`);
    }
  }

  return {
    open,
    async seal(identity, plain) {
      const made = await call("GenerateDataKey", { ...context(identity), KeySpec: "AES_256" });
      const sealedDataKey = bytesIn(made, "CiphertextBlob");
      const key = await importDataKey(bytesIn(made, "Plaintext"));
      const iv = new Uint8Array(random(IV_LENGTH));
      const algorithm = { name: "AES-GCM", iv, additionalData: boundTo(identity) };
      const text = await crypto.subtle.encrypt(algorithm, key, new Uint8Array(plain));
      const length = [sealedDataKey.length >> 8, sealedDataKey.length & 0xff];
      return Uint8Array.from(
        [KMS_SEALED, ...length, ...sealedDataKey, ...iv, ...new Uint8Array(text)],
      );
    },
    async makeSigningKey() {
      const answer = await call("GetPublicKey", { KeyId: `${aliasPrefix}issuing` });
      const publicKey = new Uint8Array(bytesIn(answer, "PublicKey")).buffer;
      if (!isP256PublicKey(publicKey)) {
        throw new KeyServiceError(`${aliasPrefix}issuing must be ECC_NIST_P256 for SIGN_VERIFY`);
      }
      const name = encoder.encode(String(answer["KeyId"]));
      return { publicKey, sealedKey: Uint8Array.from([KMS_SIGNER, ...name]) };
    },
    async sign(identity, sealedKey, data) {
      if (sealedKey[0] !== KMS_SIGNER) {
        return await signOpened(await open(identity, sealedKey), data);
      }
      const isShort = data.length <= LONGEST_MESSAGE;
      const hash = async () => await crypto.subtle.digest("SHA-256", new Uint8Array(data));
      const answer = await call("Sign", {
        KeyId: new TextDecoder().decode(sealedKey.subarray(1)),
        Message: encodeBase64(isShort ? data : new Uint8Array(await hash())),
        MessageType: isShort ? "RAW" : "DIGEST",
        SigningAlgorithm: "ECDSA_SHA_256",
      });
      const signature = rawSignatureFromDer(bytesIn(answer, "Signature"));
      if (signature === undefined) throw new KeyServiceError("the key service's signature is none");
      return signature;
    },
    currentId: KMS,
    isCurrent: (sealed) => sealed[0] === KMS_SEALED || sealed[0] === KMS_SIGNER,
  };
}

function bytesIn(answer: Record<string, unknown>, member: string): Uint8Array {
  const bytes = decodeBase64(String(answer[member] ?? ""));
  if (bytes === undefined || bytes.length === 0) {
    throw new KeyServiceError(`the key service's answer has no ${member}`);
  }
  return bytes;
}

function importDataKey(bytes: Uint8Array): Promise<CryptoKey> {
  const usages = ["encrypt", "decrypt"] as const;
  return crypto.subtle.importKey("raw", new Uint8Array(bytes), "AES-GCM", false, [...usages]);
}

const boundTo = (identity: string) => encoder.encode(`sabika/kms\n${identity}`);
