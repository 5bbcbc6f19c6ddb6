import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { writePrivateFile } from "../keys/private_file.ts";
import { readIfThere } from "../keys/read_if_there.ts";
import type { RootPlace } from "./root.ts";

/** A root in a file that only its owner can read (mode 0600). */
export function rootFile(path: string): RootPlace {
  return {
    read: () => readIfThere(path),
    async write(pem) {
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      await writePrivateFile(path, pem);
    },
  };
}
