import type { MasterKeys } from "./master_keys.ts";

/**
 * The purpose of a sealed value: the table of its row. Each purpose has its own key under each master key,
 * so that the key of one purpose opens no value of another (Decision D73).
 */
export const purposeOf = (identity: string): string => identity.split("/", 1)[0]!;

/** The keys that seal and open, by master key and purpose; none can be exported. */
export interface WrappingKeys {
  /** @throws Error when there is no such master key */
  forPurpose(id: string, purpose: string): Promise<CryptoKey>;
  /** The master key itself, which sealed everything in 1.0.0. */
  undivided(id: string): Promise<CryptoKey>;
}

/** Derives the keys of each purpose from master keys, on first use: HKDF-SHA-256 (RFC 5869). */
export function deriveWrappingKeys(masterKeys: MasterKeys): WrappingKeys {
  const derived = new Map<string, Promise<CryptoKey>>();
  const once = (name: string, make: () => Promise<CryptoKey>) => {
    const known = derived.get(name) ?? make();
    derived.set(name, known);
    return known;
  };
  const bytesOf = (id: string) => {
    const bytes = masterKeys.keys.get(id);
    if (bytes === undefined) throw new Error(`master key "${id}" is not at hand`);
    return new Uint8Array(bytes);
  };
  return {
    forPurpose(id, purpose) {
      const bytes = bytesOf(id);
      return once(`${id}/${purpose}`, async () => {
        const master = await crypto.subtle.importKey("raw", bytes, "HKDF", false, ["deriveKey"]);
        const info = new TextEncoder().encode(`sabika/v2\n${purpose}`);
        const hkdf = { name: "HKDF", hash: "SHA-256", salt: new Uint8Array(), info };
        const aes = { name: "AES-GCM", length: 256 };
        return await crypto.subtle.deriveKey(hkdf, master, aes, false, ["encrypt", "decrypt"]);
      });
    },
    undivided(id) {
      const bytes = bytesOf(id);
      return once(id, () => crypto.subtle.importKey("raw", bytes, "AES-GCM", false, ["decrypt"]));
    },
  };
}
