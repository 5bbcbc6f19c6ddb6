import { purposeOf, type WrappingKeys } from "./wrapping_keys.ts";

const IV_LENGTH = 12;
const TAG_LENGTH = 16;
/** Stands before the length of the key's id, which is 32 at most: 1.0.0 began with that length. */
const SECOND_FORM = 0x82;
/** First bytes of what AWS's key service sealed, and of the name of a key that signs there. */
export const KMS_SEALED = 0x83;
export const KMS_SIGNER = 0x84;
/** The id of AWS's key service, where a master key has its own. */
export const KMS = "aws-kms";
const encoder = new TextEncoder();

/**
 * Seals a secret with AES-256-GCM under the key of its purpose. The form is `0x82 ‖ length of the
 * master key's id ‖ id ‖ 12-byte iv ‖ ciphertext and tag`. The identity of the row and the key's id
 * are authenticated with it, so that a value moved to another row does not open.
 *
 * @param identity the row's identity, such as `authorities/issuing`
 */
export async function seal(
  { keys, currentId }: { keys: WrappingKeys; currentId: string },
  random: (length: number) => Uint8Array,
  identity: string,
  plain: Uint8Array,
): Promise<Uint8Array> {
  const keyId = encoder.encode(currentId);
  const iv = new Uint8Array(random(IV_LENGTH));
  const sealed = await crypto.subtle.encrypt(
    { name: "AES-GCM", iv, additionalData: boundTo("v2", currentId, identity) },
    await keys.forPurpose(currentId, purposeOf(identity)),
    new Uint8Array(plain),
  );
  return Uint8Array.from([SECOND_FORM, keyId.length, ...keyId, ...iv, ...new Uint8Array(sealed)]);
}

/**
 * Opens what {@linkcode seal} made, or 1.0.0 under the master key itself.
 *
 * @throws Error when the master key is missing, or the value was changed or belongs to another row.
 */
export async function open(
  keys: WrappingKeys,
  identity: string,
  sealed: Uint8Array,
): Promise<Uint8Array> {
  const { keyId, isFirstForm, rest } = read(sealed);
  const key = isFirstForm
    ? await keys.undivided(keyId)
    : await keys.forPurpose(keyId, purposeOf(identity));
  try {
    return new Uint8Array(
      await crypto.subtle.decrypt(
        {
          name: "AES-GCM",
          iv: new Uint8Array(rest.subarray(0, IV_LENGTH)),
          additionalData: boundTo(isFirstForm ? "v1" : "v2", keyId, identity),
        },
        key,
        new Uint8Array(rest.subarray(IV_LENGTH)),
      ),
    );
  } catch {
    throw new Error(
      `${identity} does not open with master key "${keyId}": not the key that sealed it`,
    );
  }
}

/** The id of the master key or key service that a value is sealed with; nothing is decrypted. */
export const sealedWith = (sealed: Uint8Array): string =>
  sealed[0] === KMS_SEALED || sealed[0] === KMS_SIGNER ? KMS : read(sealed).keyId;

/** Whether a value is sealed under the key of its purpose, and this master key. */
export function isSealedNow(sealed: Uint8Array, currentId: string): boolean {
  const { keyId, isFirstForm } = read(sealed);
  return !isFirstForm && keyId === currentId;
}

function read(sealed: Uint8Array): { keyId: string; isFirstForm: boolean; rest: Uint8Array } {
  const isFirstForm = sealed[0] !== SECOND_FORM;
  const start = isFirstForm ? 1 : 2;
  const end = start + (sealed[start - 1] ?? 0);
  if (end === start || sealed.length < end + IV_LENGTH + TAG_LENGTH) {
    throw new Error("not a sealed value");
  }
  const keyId = new TextDecoder().decode(sealed.subarray(start, end));
  return { keyId, isFirstForm, rest: sealed.subarray(end) };
}

function boundTo(form: "v1" | "v2", keyId: string, identity: string): Uint8Array<ArrayBuffer> {
  return encoder.encode(`sabika/${form}\n${keyId}\n${identity}`);
}
