import { type PlainFetch, plainFetch } from "@sabika/network";
import { createFileKeys } from "./file_keys.ts";
import type { KeyService } from "./key_service.ts";
import { createKmsClient, type KmsSettings } from "./kms_client.ts";
import { createKmsKeys } from "./kms_keys.ts";
import type { MasterKeys } from "./master_keys.ts";

/**
 * Opens the configured key service: AWS KMS, or a file of master keys. With both, KMS seals, and the file
 * opens what was sealed with it before.
 *
 * @throws TypeError when neither is set
 */
export function openKeys(options: {
  kms: KmsSettings | undefined;
  masterKeys: MasterKeys | undefined;
  /** Reads the master keys again, after they were rotated. */
  reload?: () => Promise<MasterKeys>;
  now: () => number;
  random: (length: number) => Uint8Array;
  fetch?: PlainFetch;
  /** How long the key service may take for an answer; 3 s by default. */
  timeoutMs?: number;
}): KeyService {
  const { kms, masterKeys, reload, now, random, fetch = plainFetch } = options;
  const file = masterKeys && createFileKeys({ masterKeys, reload, random });
  if (kms !== undefined) {
    const call = createKmsClient(kms, { fetch, now, timeoutMs: options.timeoutMs });
    return createKmsKeys({ call, aliasPrefix: kms.aliasPrefix, before: file, random });
  }
  if (file === undefined) throw new TypeError("neither master keys nor a key service are set");
  return file;
}
