/** Builds programs for Node: once, and again when one of their files changes. */
import { readFileSync, statSync } from "node:fs";
import { mkdir, readdir, rename, rm, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import process from "node:process";
import { withLock } from "../programs/lock.mjs";
import { bundleProgram } from "./bundle_program.mjs";

/** Packages that stay outside: PGlite loads its own files, and the others are CommonJS. */
const OUTSIDE = ["@electric-sql/pglite", "undici", "@opentelemetry/*"];
/** Files on which every build depends besides its sources: the installed packages, and the bundler. */
const ALWAYS = [
  "node_modules/.package-lock.json",
  "tools/build/bundle_program.mjs",
  "tools/build/built_program.mjs",
];

/**
 * Builds the program if its files have changed; other processes wait for the one that builds.
 *
 * @param {string} root folder of the repository, with its packages installed
 * @param {string} program the program's path in it
 * @returns {Promise<string>} the path of the file to run, in node_modules
 */
export async function builtProgram(root, program) {
  // Reinstalling packages removes this folder, and git and the formatter ignore it.
  const folder = join(root, "node_modules", ".sabika-built", program.replaceAll("/", "-"));
  const built = findBuilt(root, folder);
  if (built !== undefined) return built;
  return await withLock(folder, async () => findBuilt(root, folder) ?? await build());

  async function build() {
    await mkdir(folder, { recursive: true });
    const before = (await readdir(folder)).sort();
    const version = `${Date.now()}-${process.pid}`;
    // A source that changes during the build gets a stamp that never matches: the next start builds anew.
    const startedMs = Date.now();
    const out = join(folder, version);
    const inputs = await bundleProgram({
      root,
      program,
      out,
      external: OUTSIDE,
      isSplit: true,
    });
    const sources = inputs.filter((path) => !path.includes("node_modules/"));
    const manifests = [...new Set(sources.map((path) => /^packages\/[^/]+\//.exec(path)?.[0]))]
      .filter((start) => start !== undefined).map((start) => `${start}package.json`);
    const files = Object.fromEntries(
      [...ALWAYS, ...manifests, ...sources].map((path) => [path, stampOf(root, path, startedMs)]),
    );
    const main = basename(program).replace(/\.ts$/, ".js");
    await writeFile(join(out, "stamp.json"), JSON.stringify({ file: join(version, main), files }));
    await rename(join(out, "stamp.json"), join(folder, "stamp.json"));
    // A process that started earlier may still load files of the previous build.
    const old = before.filter((name) => name !== "stamp.json").slice(0, -1);
    for (const name of old) await rm(join(folder, name), { recursive: true, force: true });
    return join(out, main);
  }
}

/** Returns the file of the last build; undefined if there is none or a source has changed since. */
function findBuilt(root, folder) {
  let last;
  try {
    last = JSON.parse(readFileSync(join(folder, "stamp.json"), "utf8"));
  } catch {
    return undefined;
  }
  const isCurrent = Object.entries(last.files).every(([path, stamp]) =>
    stampOf(root, path) === stamp
  );
  return isCurrent ? join(folder, last.file) : undefined;
}

/** Returns a stamp that differs if the file changes; never equal if it changed after `startedMs`. */
function stampOf(root, path, startedMs = Infinity) {
  const found = statSync(join(root, path), { throwIfNoEntry: false });
  if (found === undefined) return "none";
  return found.mtimeMs < startedMs ? `${found.size} ${found.mtimeMs}` : "changing";
}
