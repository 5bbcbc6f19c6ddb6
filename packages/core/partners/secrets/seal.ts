import type { MasterKeys } from "./master_keys.ts";

const IV_LENGTH = 12;
const TAG_LENGTH = 16;
const encoder = new TextEncoder();

/**
 * Seals a secret with AES-256-GCM under the current master key. The form is `length of the key's id
 * ‖ key id ‖ 12-byte iv ‖ ciphertext and tag`. The identity of the row and the key's id are
 * authenticated with it, so that a value moved to another row does not open.
 *
 * @param identity the row's identity, such as `authorities/root`
 */
export async function seal(
  masterKeys: MasterKeys,
  random: (length: number) => Uint8Array,
  identity: string,
  plain: Uint8Array,
): Promise<Uint8Array> {
  const keyId = encoder.encode(masterKeys.currentId);
  const iv = new Uint8Array(random(IV_LENGTH));
  const key = await importKey(masterKeys, masterKeys.currentId, "encrypt");
  const sealed = await crypto.subtle.encrypt(
    { name: "AES-GCM", iv, additionalData: boundTo(masterKeys.currentId, identity) },
    key,
    new Uint8Array(plain),
  );
  const out = new Uint8Array(1 + keyId.length + IV_LENGTH + sealed.byteLength);
  out[0] = keyId.length;
  out.set(keyId, 1);
  out.set(iv, 1 + keyId.length);
  out.set(new Uint8Array(sealed), 1 + keyId.length + IV_LENGTH);
  return out;
}

/**
 * Opens what {@linkcode seal} made.
 *
 * @throws Error when the master key is missing, or the value was changed or belongs to another row.
 */
export async function open(
  masterKeys: MasterKeys,
  identity: string,
  sealed: Uint8Array,
): Promise<Uint8Array> {
  const keyId = sealedWith(sealed);
  const ivStart = 1 + encoder.encode(keyId).length;
  const key = await importKey(masterKeys, keyId, "decrypt");
  try {
    return new Uint8Array(
      await crypto.subtle.decrypt(
        {
          name: "AES-GCM",
          iv: new Uint8Array(sealed.subarray(ivStart, ivStart + IV_LENGTH)),
          additionalData: boundTo(keyId, identity),
        },
        key,
        new Uint8Array(sealed.subarray(ivStart + IV_LENGTH)),
      ),
    );
  } catch {
    throw new Error(
      `${identity} does not open with master key "${keyId}": not the key that sealed it`,
    );
  }
}

/** The id of the master key that a value is sealed with; nothing is decrypted. */
export function sealedWith(sealed: Uint8Array): string {
  const length = sealed[0] ?? 0;
  if (length === 0 || sealed.length < 1 + length + IV_LENGTH + TAG_LENGTH) {
    throw new Error("not a sealed value");
  }
  return new TextDecoder().decode(sealed.subarray(1, 1 + length));
}

function boundTo(keyId: string, identity: string): Uint8Array<ArrayBuffer> {
  return encoder.encode(`sabika/v1\n${keyId}\n${identity}`);
}

function importKey(masterKeys: MasterKeys, id: string, usage: "encrypt" | "decrypt") {
  const bytes = masterKeys.keys.get(id);
  if (bytes === undefined) throw new Error(`master key "${id}" is not among those given`);
  return crypto.subtle.importKey("raw", new Uint8Array(bytes), "AES-GCM", false, [usage]);
}
