import { spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import { mkdir, mkdtemp, rm, statfs } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { atEnd } from "../../tools/programs/at_end.ts";
import { runProgram } from "../../tools/programs/run_program.ts";

/** A small file system in memory that can be filled up. */
export interface SmallDisk {
  readonly folder: string;
  fill(): Promise<void>;
  empty(): Promise<void>;
  remove(): void;
}

/** Memory is used only for written data. PostgreSQL's log alone may take 4 GB. */
const BYTES = 10 * 2 ** 30;
/** How often to try: a write may come between reading the used size and setting the limit. */
const TRIES = 20;

/** Mounts a small disk; undefined if it cannot be mounted, which needs root on Linux. */
export async function openSmallDisk(): Promise<SmallDisk | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const mounted = await mkdtemp(join(tmpdir(), "sabika-nd-"));
  const mount = (options: string) =>
    runProgram("mount", ["-t", "tmpfs", "-o", `${options},mode=0755`, "sabika", mounted]);
  const { exitCode } = await mount(`size=${BYTES}`);
  if (exitCode !== 0) {
    await rm(mounted, { recursive: true });
    return undefined;
  }
  const remove = () => {
    spawnSync("umount", ["--lazy", mounted]);
    rmSync(mounted, { recursive: true, force: true });
  };
  const takeBack = atEnd(remove);
  const folder = join(mounted, "stack");
  await mkdir(folder, { mode: 0o755 });
  return {
    folder,
    async fill() {
      for (let left = TRIES; left > 0; left--) {
        const { blocks, bfree, bsize } = await statfs(mounted);
        // About one page stays free.
        const size = (blocks - bfree + 1) * bsize;
        if ((await mount(`remount,size=${size}`)).exitCode === 0) return;
      }
      throw new Error("the disk cannot be filled up");
    },
    async empty() {
      const { exitCode } = await mount(`remount,size=${BYTES}`);
      if (exitCode !== 0) throw new Error("the disk stays full");
    },
    remove() {
      takeBack();
      remove();
    },
  };
}
