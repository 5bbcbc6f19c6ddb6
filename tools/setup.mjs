/**
 * Installs missing packages exactly as package-lock.json says. It imports only `node:` modules, because it
 * runs on a bare clone; on Node and on Deno, with npm or without.
 */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { withLock } from "./programs/lock.mjs";

/** The repository's folder. */
export const ROOT = fileURLToPath(new URL("..", import.meta.url));

/** The Deno of the tests; not in the root node_modules, where `deno task` would take it for JavaScript. */
const DENO = { folder: join(ROOT, "tools", "deno"), version: "2.9.6" };
/** The hash of the lock file by which the packages were installed, and whether with the development ones. */
const STAMP = join(ROOT, "node_modules", ".sabika-setup.json");
const QUIET = `--ignore-scripts --no-audit --no-fund --no-progress --no-update-notifier
  --loglevel=error`.split(/\s+/);

/** An error whose message is shown without a stack. */
export class SetupError extends Error {}

/**
 * Installs the packages of package-lock.json; returns at once if they are installed.
 *
 * @param {{ dev: boolean }} options dev: with the packages that only checks and tests need
 */
export async function ensurePackages({ dev }) {
  refuseOldNode();
  const lockFile = join(ROOT, "package-lock.json");
  const lock = createHash("sha256").update(readFileSync(lockFile)).digest("hex");
  const areInstalled = () => {
    const { lock: installed, dev: withDev } = readJson(STAMP) ?? {};
    if (installed !== undefined) return installed === lock && (withDev || !dev);
    // An installation by hand leaves npm's own lock file there.
    return changedMs(join(ROOT, "node_modules", ".package-lock.json")) > changedMs(lockFile);
  };
  if (areInstalled()) return;
  await withLock(ROOT, () => {
    if (areInstalled()) return; // Installed by the process that held the lock.
    const isByNpm = runNpm("packages", ["ci", ...QUIET, ...(dev ? [] : ["--omit=dev"])]);
    if (!isByNpm) {
      if (!globalThis.Deno) {
        throw new SetupError("npm is not on the PATH: it installs the packages");
      }
      run("packages", Deno.execPath(), ["install", "--quiet", "--frozen"]);
    }
    writeFileSync(STAMP, JSON.stringify({ lock, dev: dev || !isByNpm }));
  }, () => process.stderr.write("waiting for another set-up of this folder\n"));
}

/** Returns the Deno on which the tests run: the current one, or the pinned one from npm (2 s, once). */
export async function ensureDeno() {
  if (globalThis.Deno) return Deno.execPath();
  const manifest = join(DENO.folder, "node_modules", "deno", "package.json");
  const isInstalled = () => readJson(manifest)?.version === DENO.version;
  if (!isInstalled()) {
    await withLock(DENO.folder, () => {
      if (isInstalled()) return;
      const target = ["--prefix", DENO.folder, "--no-save", "--no-package-lock"];
      if (!runNpm("Deno", ["install", ...target, ...QUIET, `deno@${DENO.version}`])) {
        throw new SetupError("npm is not on the PATH: it is needed once, to fetch Deno");
      }
    });
  }
  // Not the package's command in .bin: that is a script around the program, which a signal ends without
  // it. The package mends that when it is installed, but no scripts of packages run here.
  return createRequire(manifest)("./install_api.cjs").runInstall();
}

/** Reads a JSON file; undefined if it cannot be read. */
function readJson(file) {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return undefined;
  }
}

/** Returns when a file last changed, in epoch milliseconds; -1 if there is none. */
function changedMs(file) {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? -1;
}

function refuseOldNode() {
  if (globalThis.Deno) return;
  const [major, minor] = process.versions.node.split(".").map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) return;
  throw new SetupError(`Node ${process.versions.node} is too old: install Node 20.19 or later`);
}

/** Runs npm; returns false if there is none. */
function runNpm(subject, args) {
  if (spawnSync("npm", ["--version"]).error !== undefined) return false;
  run(subject, "npm", args);
  return true;
}

/** Runs a command and shows one line; its output is shown only if it fails. */
function run(subject, command, args) {
  const startedMs = Date.now();
  process.stderr.write(`setting up: ${subject} (once) …`);
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: ROOT, encoding: "utf8" });
  if (status !== 0) {
    process.stderr.write(" failed\n");
    const last = `${stdout}${stderr}`.trim().split("\n").slice(-8).join("\n");
    throw new SetupError(
      `could not install the ${subject}; is the package registry in reach?\n${last}`,
    );
  }
  process.stderr.write(` ${((Date.now() - startedMs) / 1000).toFixed(1)} s\n`);
}

/** The arguments of an npm script or a Deno task, without the first `--`, which only npm removes itself. */
export function commandLine() {
  const args = process.argv.slice(2);
  const at = args.indexOf("--"); // At 0, or at 1 after an option of the task itself, such as --faults.
  return globalThis.Deno && (at === 0 || at === 1) ? args.toSpliced(at, 1) : args;
}

/** Runs `main`; a `SetupError` becomes one line and exit 1. */
export async function runMain(main) {
  try {
    await main();
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  }
}
