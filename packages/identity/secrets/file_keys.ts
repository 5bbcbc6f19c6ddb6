import { exportPrivateKey, generateP256, signOpened } from "../keys/p256.ts";
import type { KeyService } from "./key_service.ts";
import type { MasterKeys } from "./master_keys.ts";
import { isSealedNow, KMS, open, seal, sealedWith } from "./seal.ts";
import { deriveWrappingKeys } from "./wrapping_keys.ts";

/**
 * Creates a key service that uses master keys from a file.
 *
 * @param options.reload reads the master keys again, when a value is sealed with an unknown one
 * because they were rotated
 * @param options.random source of the initialisation vectors
 */
export function createFileKeys(options: {
  masterKeys: MasterKeys;
  reload?: () => Promise<MasterKeys>;
  random: (length: number) => Uint8Array;
}): KeyService {
  let { masterKeys } = options;
  let keys = deriveWrappingKeys(masterKeys);
  const sealNow = (identity: string, plain: Uint8Array) =>
    seal({ keys, currentId: masterKeys.currentId }, options.random, identity, plain);
  const openSealed = async (identity: string, sealed: Uint8Array) => {
    const keyId = sealedWith(sealed);
    if (keyId === KMS) {
      throw new Error(`${identity} is sealed by the key service: set SABIKA_KEY_SERVICE=aws-kms`);
    }
    if (!masterKeys.keys.has(keyId) && options.reload !== undefined) {
      masterKeys = await options.reload();
      keys = deriveWrappingKeys(masterKeys);
    }
    return await open(keys, identity, sealed);
  };
  return {
    seal: sealNow,
    open: openSealed,
    async makeSigningKey(identity) {
      const { publicKey, privateKey } = await generateP256();
      const sealedKey = await sealNow(identity, await exportPrivateKey(privateKey));
      return { publicKey: await crypto.subtle.exportKey("spki", publicKey), sealedKey };
    },
    sign: async (identity, sealedKey, data) =>
      await signOpened(await openSealed(identity, sealedKey), data),
    get currentId() {
      return masterKeys.currentId;
    },
    isCurrent: (sealed) => isSealedNow(sealed, masterKeys.currentId),
  };
}
