import { readdir, readFile, writeFile } from "node:fs/promises";
import { basename, join, posix, relative, sep } from "node:path";
import { mustRun } from "../programs/run_program.ts";
import { ROOT } from "../rules/repository_files.ts";

/**
 * Compiles `@sabika/client` and the packages it is built on into `folder`, a folder for each: JavaScript
 * for Node 20 and Deno, with declarations that import one another only by relative paths. The settings
 * name siblings' sources by `paths`, because the compiler does not emit files that it finds in node_modules.
 *
 * @throws Error with the compiler's messages
 */
export async function buildClient(folder: string): Promise<void> {
  const tsc = join(ROOT, "node_modules", ".bin", "tsc");
  await mustRun(tsc, ["-p", join(ROOT, "tools", "release"), "--outDir", folder]);
  for (const name of await readdir(folder, { recursive: true })) {
    if (!/\.(js|d\.ts)$/.test(name)) continue;
    const file = join(folder, name);
    const text = await readFile(file, "utf8");
    const published = withPublishedImports(text, relative(folder, file).replaceAll(sep, "/"));
    await writeFile(file, published);
    if (name.endsWith(".d.ts")) await writeCommonJs(file, published);
  }
}

/**
 * Writes what `require` gets of a module: the same module, which Node 20.19 and later can load, so that there is
 * one of each class, and declarations that are CommonJS's.
 */
async function writeCommonJs(file: string, declarations: string): Promise<void> {
  const base = file.slice(0, -".d.ts".length);
  const types = declarations.replace(/(\bfrom |\bimport\()"(\.[^"]*)\.js"/g, '$1"$2.cjs"');
  await writeFile(`${base}.d.cts`, types);
  await writeFile(`${base}.cjs`, `module.exports = require("./${basename(base)}.js");\n`);
}

/**
 * Rewrites two kinds of imports that the compiler does not: those of a sibling by its name, which is in the
 * same tarball, and those of a `.ts` file in a declaration.
 *
 * @param path the compiled file's path below the folder with all packages, such as `client/mod.js`
 */
function withPublishedImports(text: string, path: string): string {
  const up = posix.relative(posix.dirname(path), ".");
  const sibling = (line: string) =>
    line.replace(/(\bfrom |\bimport\()"@sabika\/(\w+)"/g, `$1"${up}/$2/mod.js"`);
  return text
    // Examples in doc comments import the package by its name.
    .replace(/^(?! *\* ).*$/gm, sibling)
    .replace(/(\bfrom |\bimport\()"(\.[^"]*)\.ts"/g, '$1"$2.js"');
}
