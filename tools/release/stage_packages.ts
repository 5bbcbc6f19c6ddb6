import { cp, mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ROOT } from "../rules/repository_files.ts";

/** The published packages, each after those that it imports. */
export const PUBLISHED: readonly string[] = ["canonical", "jws", "protocol", "client"];

/**
 * Copies the sources of the published packages into a separate workspace, where siblings are
 * imported by name. In the repository they are imported by relative path, for k6 and browsers, which
 * resolve no names, and a registry accepts no package that imports from another package's folder.
 *
 * @param folder is created
 */
export async function stagePackages(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  await symlink(join(ROOT, "node_modules"), join(folder, "node_modules"));
  const workspace = { workspace: PUBLISHED.map((name) => `./${name}`), nodeModulesDir: "manual" };
  await writeFile(join(folder, "deno.json"), JSON.stringify(workspace));
  for (const name of PUBLISHED) {
    const staged = join(folder, name);
    await cp(join(ROOT, "packages", name), staged, {
      recursive: true,
      filter: (path) => !/_test\.ts$|[\\/](node_modules|dist|tsconfig\.json)$/.test(path),
    });
    await cp(join(ROOT, "LICENSE"), join(staged, "LICENSE"));
    for (const file of await readdir(staged, { recursive: true })) {
      if (!file.endsWith(".ts")) continue;
      const path = join(staged, file);
      await writeFile(path, withNamedSiblings(await readFile(path, "utf8")));
    }
  }
}

/** Replaces `"../canonical/mod.ts"` by `"@sabika/canonical"`, and so on. */
export function withNamedSiblings(text: string): string {
  return text.replace(/(\bfrom )"(?:\.\.\/)+(canonical|jws|protocol)\/mod\.ts"/g, '$1"@sabika/$2"');
}
