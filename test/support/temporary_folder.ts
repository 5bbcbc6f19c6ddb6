import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { atEnd } from "../../tools/programs/at_end.ts";

/** Makes an empty folder, which is removed with its contents when the process ends. */
export function temporaryFolder(): string {
  // The path is short, because the path of a Unix socket may have at most 107 bytes.
  const folder = mkdtempSync(join(tmpdir(), "sabika-"));
  atEnd(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
