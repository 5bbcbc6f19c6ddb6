import {
  chmod,
  cp,
  mkdir,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { existsSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { mustRun } from "../programs/run_program.ts";
import { ROOT } from "../rules/repository_files.ts";
import { bundleProgram } from "./bundle_program.mjs";
import { copyPackages, sbomOf } from "./outside_packages.ts";
import { importsOf, programFiles, PROGRAMS } from "./program_files.ts";

/** Who starts them waits for them: each is one file, */
const BUNDLED = ["packages/server/main.ts"];
/** or one for what it needs whatever it is told to do, and others that it loads when it needs them. */
const SPLIT = ["packages/operator/main.ts"];
/** Only the sandbox's: whoever asks a built program for it is refused with a line. */
const LEFT_OUT = ["@electric-sql/pglite"];

/**
 * Compiles what runs in production into `folder`, which becomes: `packages/` as in the repository, but
 * JavaScript; `node_modules/` with what they import from outside; `package.json`; `sbom.cdx.json`.
 *
 * @param folder is made; what an earlier build left there is replaced
 * @throws Error when it holds something else, or with the compiler's words
 */
export async function buildService(folder: string) {
  if (existsSync(folder) && !existsSync(join(folder, "sbom.cdx.json"))) {
    if ((await readdir(folder)).length > 0) {
      throw new Error(`${folder} has files that no build made: give an empty folder or a new one`);
    }
  }
  await rm(folder, { recursive: true, force: true });
  const files = programFiles(ROOT);
  await compile(files.filter(isSource), join(folder, "packages"));
  for (const path of files.filter((path) => !isSource(path))) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await (basename(path) === "package.json"
      ? copyManifest(path, folder)
      : cp(join(ROOT, path), join(folder, path)));
  }
  for (const program of PROGRAMS) await makeExecutable(join(folder, compiled(program)));
  const components = await copyPackages(await outsideImports(folder), join(folder, "node_modules"));
  await linkOwnPackages(folder);
  for (const program of [...BUNDLED, ...SPLIT]) {
    await bundleProgram({
      folder,
      program: compiled(program),
      external: LEFT_OUT,
      isSplit: SPLIT.includes(program),
    });
  }
  const { version } = await writeRootManifest(folder);
  await cp(join(ROOT, "LICENSE"), join(folder, "LICENSE"));
  const sbom = sbomOf({ name: "sabika", version }, components);
  await writeFile(join(folder, "sbom.cdx.json"), `${JSON.stringify(sbom, null, 2)}\n`);
  return { version, packages: components.length, ...await measure(folder) };
}

const isSource = (path: string) => /\.tsx?$/.test(path);
const compiled = (path: string) => path.replace(/\.ts$/, ".js");

/** `npm run check` has checked the types. */
async function compile(files: readonly string[], out: string): Promise<void> {
  await mkdir(out, { recursive: true });
  const settings = join(out, "tsconfig.json");
  await writeFile(
    settings,
    JSON.stringify({
      extends: join(ROOT, "tsconfig.json"),
      compilerOptions: {
        noEmit: false,
        noCheck: true,
        outDir: out,
        rootDir: join(ROOT, "packages"),
        allowImportingTsExtensions: false,
        rewriteRelativeImportExtensions: true,
        typeRoots: [join(ROOT, "node_modules", "@types")],
      },
      files: files.map((path) => join(ROOT, path)),
      include: [],
    }),
  );
  await mustRun(join(ROOT, "node_modules", ".bin", "tsc"), ["-p", settings]);
  await rm(settings);
}

/** A package's manifest, whose exports are the compiled files. */
async function copyManifest(path: string, folder: string): Promise<void> {
  const { name, version, type, exports } = JSON.parse(await readFile(join(ROOT, path), "utf8"));
  const manifest = { name, version, type, exports };
  const text = JSON.stringify(manifest, null, 2).replaceAll('.ts"', '.js"');
  await writeFile(join(folder, path), `${text}\n`);
}

async function makeExecutable(file: string): Promise<void> {
  await writeFile(file, `#!/usr/bin/env node\n${await readFile(file, "utf8")}`);
  await chmod(file, 0o755);
}

/** The packages that the compiled files name: imports of types are gone from them. */
async function outsideImports(folder: string): Promise<string[]> {
  const found = new Set<string>();
  for (const path of await readdir(join(folder, "packages"), { recursive: true })) {
    if (!path.endsWith(".js")) continue;
    for (const specifier of importsOf(await readFile(join(folder, "packages", path), "utf8"))) {
      if (/^(\.|node:|@sabika\/)/.test(specifier)) continue;
      found.add(specifier.split("/").slice(0, specifier.startsWith("@") ? 2 : 1).join("/"));
    }
  }
  return [...found].filter((name) => !LEFT_OUT.includes(name)).sort();
}

async function linkOwnPackages(folder: string): Promise<void> {
  const scope = join(folder, "node_modules", "@sabika");
  await mkdir(scope);
  for (const name of await readdir(join(folder, "packages"))) {
    await symlink(`../../packages/${name}`, join(scope, name));
  }
}

async function writeRootManifest(folder: string): Promise<{ version: string }> {
  const { name, version, license, type, engines } = JSON.parse(
    await readFile(join(ROOT, "package.json"), "utf8"),
  );
  const bin = { sabika: "packages/operator/main.js" };
  const manifest = { name, version, private: true, license, type, engines, bin };
  await writeFile(join(folder, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
  return manifest;
}

async function measure(folder: string): Promise<{ files: number; bytes: number }> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const sizes = await Promise.all(
    entries.filter((entry) => entry.isFile())
      .map((entry) => stat(join(entry.parentPath, entry.name)).then(({ size }) => size)),
  );
  return { files: sizes.length, bytes: sizes.reduce((sum, size) => sum + size, 0) };
}
