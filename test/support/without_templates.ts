import { Buffer } from "node:buffer";

const BLOCK = 512;
/** Files in the folders of template1 and template0, whose OIDs (1 and 4) PostgreSQL fixes. */
const TEMPLATES = /^\/?base\/[14]\/./;

/**
 * Removes the files of template0 and template1 from a tar of an embedded database's data folder. They make
 * up half of it, and PGlite unpacks all files each time although tests use neither database.
 */
export function withoutTemplates(tar: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const text = (from: number, length: number) =>
    new TextDecoder().decode(tar.subarray(from, from + length)).replace(/\0.*$/s, "");
  const kept: Uint8Array[] = [];
  for (let at = 0; at < tar.length;) {
    const bytes = Number.parseInt(text(at + 124, 12), 8) || 0;
    const end = at + BLOCK + Math.ceil(bytes / BLOCK) * BLOCK;
    if (!TEMPLATES.test(text(at, 100))) kept.push(tar.subarray(at, end));
    at = end;
  }
  return new Uint8Array(Buffer.concat(kept));
}
