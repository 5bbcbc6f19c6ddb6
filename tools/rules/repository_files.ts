import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { mustRun } from "../programs/run_program.ts";
import { commandLine } from "../programs/command_line.ts";

/** The repository's folder, without a slash at the end. */
export const ROOT = fileURLToPath(new URL("../..", import.meta.url)).replace(/\/$/, "");

/** A file of the repository: its path from the root, with `/`, and its text. */
export interface SourceFile {
  path: string;
  text: string;
}

/** Reads all text files that git tracks or does not ignore. */
export async function repositoryFiles(): Promise<SourceFile[]> {
  const list = await mustRun(
    "git",
    commandLine`-C ${ROOT} -c safe.directory=${ROOT} ls-files -z --cached --others
      --exclude-standard`,
    { env: process.env },
  );
  return list.split("\0").filter((path) => path !== "" && existsSync(join(ROOT, path)))
    .sort()
    .map((path) => ({ path, text: readFileSync(join(ROOT, path), "utf8") }))
    .filter((file) => !file.text.includes("\0"));
}
