import { decodeBase64, encodeBase64 } from "@sabika/protocol";

/** The operator's master keys, newest first. */
export interface MasterKeys {
  /** The id of the key that seals; every key of the list opens. */
  readonly currentId: string;
  /** Raw 32-byte AES keys by id. */
  readonly keys: ReadonlyMap<string, Uint8Array>;
}

const LINE = /^([A-Za-z0-9][A-Za-z0-9_.-]{0,31}):([A-Za-z0-9+/]{43}=)$/;

/**
 * Reads master keys: one `id:base64(32 bytes)` a line (a comma separates as well, for an environment
 * variable), the first is the current one; empty lines and lines that begin with `#` are skipped.
 *
 * @throws SyntaxError with the number of the bad line, and never its text.
 */
export function readMasterKeys(text: string): MasterKeys {
  const keys = new Map<string, Uint8Array>();
  let currentId: string | undefined;
  for (const [index, raw] of text.split(/[\n,]/).entries()) {
    const line = raw.trim();
    if (line === "" || line.startsWith("#")) continue;
    const match = LINE.exec(line);
    const id = match?.[1];
    const bytes = match?.[2] === undefined ? undefined : decodeBase64(match[2]);
    if (id === undefined || bytes === undefined || bytes.length !== 32) {
      throw new SyntaxError(`master key ${index + 1} is not of the form id:base64 of 32 bytes`);
    }
    if (keys.has(id)) throw new SyntaxError(`master key ${index + 1} repeats an id`);
    keys.set(id, bytes);
    currentId ??= id;
  }
  if (currentId === undefined) throw new SyntaxError("there is no master key");
  return { currentId, keys };
}

/**
 * Makes a line for a new master key, to be put before the others.
 *
 * @param id 1 to 32 characters of `A-Za-z0-9_.-`
 * @param random source of key bytes
 */
export function newMasterKey(id: string, random: (length: number) => Uint8Array): string {
  const line = `${id}:${encodeBase64(random(32))}`;
  if (!LINE.test(line)) throw new RangeError("a master key's id is 1 to 32 letters and digits");
  return line;
}
