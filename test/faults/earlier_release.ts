import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { mustRun, runProgram } from "../../tools/programs/run_program.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
/** The first release: the last commit with its version, for repositories without its tag. */
export const FIRST: Release = {
  name: "v1.0.0",
  commit: "e95e3fc42345da252ea68c9e79794fa92b0ffa67",
};
/** The last commit that migrates a database of 1.0.0; later ones begin at the baseline (Decision D49). */
export const BEFORE_BASELINE: Release = {
  name: "before the baseline",
  commit: "6e98ad08d3a3cab91bfe549325d715cf86cbc5f8",
};

/** An earlier release, or another commit of this repository. */
export interface Release {
  readonly name: string;
  readonly commit: string;
}

const git = (...args: string[]) =>
  runProgram("git", ["-C", ROOT, "-c", `safe.directory=${ROOT}`, ...args]);

/** Returns all releases before this source, the oldest first. */
export async function earlierReleases(): Promise<Release[]> {
  const { stdout } = await git("tag", "--list", "v*", "--merged", "HEAD", "--sort=version:refname");
  const tagged = stdout.split("\n").filter((name) => /^v\d+\.\d+\.\d+$/.test(name))
    .map((name) => ({ name, commit: name }));
  return tagged.some(({ name }) => name === FIRST.name) ? tagged : [FIRST, ...tagged];
}

/** Writes a release's source to a new folder; throws if this clone lacks its commit. */
export async function layOut({ commit }: Release, folder: string): Promise<void> {
  await mkdir(folder);
  const archive = join(folder, "source.tar");
  const { exitCode, stderr } = await git("archive", "--output", archive, commit);
  if (exitCode !== 0) throw new Error(`this clone has no ${commit}: ${stderr.trim()}`);
  await mustRun("tar", ["-xf", archive, "-C", folder]);
}
