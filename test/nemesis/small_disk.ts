import { mkdir, mkdtemp, rm, statfs } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { mustRun, runProgram } from "../../tools/programs/run_program.ts";

/** A file system of its own that can be filled up. */
export interface SmallDisk {
  readonly folder: string;
  fill(): Promise<void>;
  empty(): Promise<void>;
  remove(): Promise<void>;
}

const BYTES = "4G";

/** Makes one in memory; undefined where that is not allowed, which needs root on Linux. */
export async function openSmallDisk(): Promise<SmallDisk | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const mounted = await mkdtemp(join(tmpdir(), "sabika-nd-"));
  const { exitCode } = await runProgram("mount", [
    ...["-t", "tmpfs", "-o", `size=${BYTES},mode=0755`, "sabika", mounted],
  ]);
  if (exitCode !== 0) {
    await rm(mounted, { recursive: true });
    return undefined;
  }
  const filler = join(mounted, "filler");
  const folder = join(mounted, "stack");
  await mkdir(folder, { mode: 0o755 });
  return {
    folder,
    async fill() {
      const { bavail, bsize } = await statfs(mounted);
      // What is left after that goes to whoever asks first.
      await runProgram("fallocate", ["--length", String(bavail * bsize - 4_096), filler]);
    },
    empty: () => rm(filler, { force: true }),
    async remove() {
      await mustRun("umount", ["--lazy", mounted]);
      await rm(mounted, { recursive: true, force: true });
    },
  };
}
