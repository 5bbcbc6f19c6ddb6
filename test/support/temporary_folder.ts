import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { atEnd } from "../../tools/programs/at_end.ts";

/** Makes an empty folder, which is removed with all that is in it when the process ends. */
export function temporaryFolder(): string {
  // Unix sockets lie in some: their paths may have 107 bytes.
  const folder = mkdtempSync(join(tmpdir(), "sabika-"));
  atEnd(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
