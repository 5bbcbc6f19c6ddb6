import { readIfThere, writePrivateFile } from "@sabika/identity/keys";
import { type MasterKeys, newMasterKey, readMasterKeys } from "@sabika/identity/secrets";

/** Reads the sandbox's master keys from `file`; makes it with a new key when there is none. */
export async function openMasterKeys(
  file: string,
  random: (length: number) => Uint8Array,
): Promise<MasterKeys> {
  const text = await readIfThere(file);
  if (text !== undefined) return readMasterKeys(text);
  const made = `${newMasterKey("sandbox-1", random)}\n`;
  await writePrivateFile(file, made);
  return readMasterKeys(made);
}
