import { mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** A piece of code in a page or a comment. */
export interface ShownExample {
  /** The file that has it. */
  path: string;
  text: string;
}

/** Reads the examples of a package: the `ts` blocks of its README and of its doc comments. */
export async function examplesOf(name: string): Promise<ShownExample[]> {
  const folder = join(ROOT, "packages", name);
  const found: ShownExample[] = [];
  for (const path of (await readdir(folder, { recursive: true })).sort()) {
    if (!/(?<!_test)\.ts$|^README\.md$/.test(path) || path.includes("node_modules")) continue;
    const text = await readFile(join(folder, path), "utf8");
    const blocks = text.matchAll(/^( *\* )?```ts\n([^]*?)^ *(?:\* )?```$/gm);
    for (const [, margin = "", code = ""] of blocks) {
      const lines = code.split("\n").map((line) =>
        margin === "" ? line : line.replace(/^ *\* ?/, "")
      );
      found.push({ path: join("packages", name, path), text: lines.join("\n") });
    }
  }
  return found;
}

const PROGRAM = `import process from "node:process";
for (const [path, file] of FILES) {
  try {
    await import(file!);
  } catch (error) {
    console.error("the example of", path, error);
    process.exitCode = 1;
  }
}
`;

/** Writes each example as a module into `folder`, and `main`, a program that runs them in turn. */
export async function writeExamples(
  folder: string,
  examples: readonly ShownExample[],
): Promise<{ main: string; modules: string[] }> {
  await mkdir(folder);
  await symlink(join(ROOT, "node_modules"), join(folder, "node_modules"));
  await writeFile(join(folder, "package.json"), '{"type":"module"}');
  const files = examples.map(({ path }, n) => [path, `./example_${n}.ts`]);
  await Promise.all(
    examples.map(({ text }, n) =>
      writeFile(join(folder, `example_${n}.ts`), `${text}\nexport {};\n`)
    ),
  );
  const main = join(folder, "main.ts");
  await writeFile(main, PROGRAM.replace("FILES", JSON.stringify(files)));
  return { main, modules: files.map(([, file]) => join(folder, file!)) };
}
