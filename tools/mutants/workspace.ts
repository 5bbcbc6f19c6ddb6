import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { atEnd } from "../programs/at_end.ts";
import { mustRun } from "../programs/run_program.ts";
import { ROOT } from "../rules/repository_files.ts";

/** A copy of the repository, in which sources can be changed while others work on it. */
export interface Workspace {
  folder: string;
  /** Writes another text to a file, by its path from the root. */
  write(file: string, text: string): void;
  remove(): void;
}

/** Folders of which the packages are links into the repository, so that a copy needs links of its own. */
const LINKED = ["@sabika", "@std"];

/**
 * Copies what git knows of the repository, as it is in the working tree. The installed packages are linked,
 * but our own are those of the copy.
 */
export async function makeWorkspace(): Promise<Workspace> {
  const folder = mkdtempSync(join(tmpdir(), "sabika-mutants-"));
  const takeBack = atEnd(() => rmSync(folder, { recursive: true, force: true }));
  const known = ["ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate"];
  const files = (await mustRun("git", known, { cwd: ROOT })).split("\0");
  for (const file of files) {
    // A deleted file is still known.
    if (file === "") continue;
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    cpSync(join(ROOT, file), join(folder, file), { force: true, recursive: true });
  }
  const modules = join(ROOT, "node_modules");
  for (const name of readdirSync(modules)) {
    const copy = join(folder, "node_modules", name);
    mkdirSync(dirname(copy), { recursive: true });
    if (!LINKED.includes(name)) symlinkSync(join(modules, name), copy);
    else {
      mkdirSync(copy);
      for (const part of readdirSync(join(modules, name))) {
        symlinkSync(readlinkSync(join(modules, name, part)), join(copy, part));
      }
    }
  }
  return {
    folder,
    write: (file, text) => writeFileSync(join(folder, file), text),
    remove() {
      takeBack();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
