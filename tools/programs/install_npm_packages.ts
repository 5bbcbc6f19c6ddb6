import { mustRun } from "./run_program.ts";

/** Installs packages, exact versions or files, and no script of theirs, into `folder`. */
export async function installNpmPackages(folder: string, specs: readonly string[]): Promise<void> {
  await mustRun("npm", [
    ...["install", "--prefix", folder, "--ignore-scripts", "--no-package-lock", "--no-audit"],
    ...["--no-fund", "--no-update-notifier", "--loglevel=error", ...specs],
  ], { cwd: folder });
}
