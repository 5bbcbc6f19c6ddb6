import { armor, Decrypter } from "age-encryption";
import { unpackTar } from "modern-tar";
import { testRecord } from "../secret_search/record.ts";

/**
 * Opens the encrypted file of a partner's kit, as `age -d FILE | tar x` does.
 *
 * @param text the file's text
 * @param key the passphrase, or the identity (`AGE-SECRET-KEY-1…`) of its recipient
 * @returns its files: the text of each, by its path
 */
export async function openKitFile(text: string, key: string): Promise<Record<string, string>> {
  const decrypter = new Decrypter();
  if (key.startsWith("AGE-SECRET-KEY-")) decrypter.addIdentity(key);
  else decrypter.addPassphrase(key);
  const entries = await unpackTar(await decrypter.decrypt(armor.decode(text)));
  const files = Object.fromEntries(
    entries.map(({ header: { name }, data }) => [name, new TextDecoder().decode(data)]),
  );
  testRecord.secret("what opens a kit", key);
  testRecord.secretsIn(...Object.values(files));
  return files;
}
