import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { checkPin } from "./pinned_archive.ts";
import { mustRun } from "./run_program.ts";

/** Unpacks one npm package into `folder`, by the ordinary npm client, when it has the pinned hash. */
export async function fetchNpmPackage(spec: string, pin: string, folder: string): Promise<void> {
  const download = await mkdtemp(join(tmpdir(), "sabika-npm-"));
  try {
    await mustRun("npm", ["pack", spec, "--pack-destination", download, "--loglevel=error"], {
      cwd: download,
    });
    const archive = (await readdir(download)).find((name) => name.endsWith(".tgz"));
    if (archive === undefined) throw new Error(`npm pack ${spec} gave no archive`);
    await checkPin(join(download, archive), pin);
    await mustRun("tar", ["-xzf", join(download, archive), "-C", folder, "--strip-components=1"]);
  } finally {
    await rm(download, { recursive: true, force: true });
  }
}
