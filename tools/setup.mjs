/**
 * Installs what the repository needs, exactly as package-lock.json says, when it is not there yet.
 * `node:` only: it runs on a bare clone. Runs on Node and on Deno, with npm or without.
 */
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { accessSync, constants, existsSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { delimiter, join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { withLock } from "./programs/lock.mjs";

/** The repository's folder. */
export const ROOT = fileURLToPath(new URL("..", import.meta.url));

/** Where the Deno of the test runs lives: outside the workspaces, see `ensureDeno()`. */
const DENO_FOLDER = join(ROOT, "tools", "deno");
const DENO_VERSION = "2.9.6";

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"];
const STAMP = join(ROOT, "node_modules", ".sabika-setup.json");
const QUIET = [
  ...["--ignore-scripts", "--no-audit", "--no-fund", "--no-progress"],
  ...["--no-update-notifier", "--loglevel=error"],
];

/** An error whose message is all that people need; a stack would not help them. */
export class SetupError extends Error {}

/**
 * Makes node_modules what package-lock.json says; returns at once when it is so already.
 *
 * @param {{ dev: boolean }} options dev: with the packages that only checks and tests need
 */
export async function ensurePackages({ dev }) {
  refuseOldNode();
  if (areInstalled(dev)) return;
  await withLock(ROOT, async () => {
    if (areInstalled(dev)) return; // by the process that we waited for
    const npm = npmCommand();
    if (npm) {
      const omit = dev ? [] : ["--omit=dev"];
      await tellAndRun("packages", [...npm, "ci", ...QUIET, ...omit]);
    } else if (globalThis.Deno) {
      await tellAndRun("packages", [Deno.execPath(), "install", "--quiet", "--frozen"]);
    } else {throw new SetupError(
        "npm is not on the PATH: it is needed once, to install the packages",
      );}
    writeFileSync(STAMP, JSON.stringify({ lock: lockHash(), dev: dev || !npm }));
  }, () => process.stderr.write("waiting for another set-up of this folder\n"));
}

/** The Deno that the tests run on: the one that runs now, else the pinned one from npm (2 s, once). */
export async function ensureDeno() {
  if (globalThis.Deno) return Deno.execPath();
  if (denoVersion() === DENO_VERSION) return denoProgram();
  await withLock(DENO_FOLDER, async () => {
    const npm = npmCommand();
    if (denoVersion() === DENO_VERSION) return;
    if (!npm) throw new SetupError("npm is not on the PATH: it is needed once, to fetch Deno");
    // Never in the root node_modules: `deno task` would take the binary there for JavaScript.
    const where = ["--prefix", DENO_FOLDER, "--no-save", "--no-package-lock"];
    await tellAndRun("Deno", [...npm, "install", ...where, ...QUIET, `deno@${DENO_VERSION}`]);
  });
  return denoProgram();
}

/**
 * The program itself. The package's command in .bin is a script around it, which a signal ends without
 * the program; the package mends that when it is installed, but no scripts of packages run here.
 */
function denoProgram() {
  const require = createRequire(join(DENO_FOLDER, "node_modules", "deno", "package.json"));
  return require("./install_api.cjs").runInstall();
}

function denoVersion() {
  try {
    const file = join(DENO_FOLDER, "node_modules", "deno", "package.json");
    return JSON.parse(readFileSync(file, "utf8")).version;
  } catch {
    return undefined;
  }
}

function refuseOldNode() {
  if (globalThis.Deno) return;
  const [major, minor] = process.versions.node.split(".").map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) return;
  throw new SetupError(`Node ${process.versions.node} is too old: install Node 20.19 or later`);
}

function lockHash() {
  return createHash("sha256").update(readFileSync(join(ROOT, "package-lock.json"))).digest("hex");
}

function areInstalled(dev) {
  try {
    const stamp = JSON.parse(readFileSync(STAMP, "utf8"));
    if (stamp.lock === lockHash()) return stamp.dev || !dev;
  } catch {
    // no stamp: npm may have been run by hand
  }
  return areInstalledByNpm(dev);
}

/** Whether npm's own list of what it installed has all that the lock file asks for. */
function areInstalledByNpm(dev) {
  const hidden = join(ROOT, "node_modules", ".package-lock.json");
  if (!existsSync(hidden)) return false;
  const wanted = JSON.parse(readFileSync(join(ROOT, "package-lock.json"), "utf8")).packages;
  const found = JSON.parse(readFileSync(hidden, "utf8")).packages;
  return Object.entries(wanted).every(([path, entry]) => {
    if (!path.includes("node_modules/")) return true;
    if (entry.optional || entry.peer || (!dev && (entry.dev || entry.devOptional))) return true;
    return found[path]?.version === entry.version && existsSync(join(ROOT, path));
  });
}

/** How npm is started: the one that started us, else the one on the PATH. */
function npmCommand() {
  const { npm_execpath: npm, PATH = "" } = process.env;
  if (npm && /npm-cli\.c?js$/.test(npm) && !globalThis.Deno) return [process.execPath, npm];
  for (const folder of PATH.split(delimiter)) {
    try {
      accessSync(join(folder, "npm"), constants.X_OK);
      return [join(folder, "npm")];
    } catch {
      // not there
    }
  }
  return undefined;
}

/** Runs a command behind one line; its own words are shown only when it fails. */
async function tellAndRun(what, [command, ...args]) {
  const started = Date.now();
  process.stderr.write(`setting up: ${what} (once) …`);
  const child = spawn(command, args, { cwd: ROOT, stdio: ["ignore", "pipe", "pipe"] });
  let words = "";
  child.stdout.on("data", (chunk) => (words += chunk));
  child.stderr.on("data", (chunk) => (words += chunk));
  const end = () => {
    child.kill();
    process.exit(130);
  };
  for (const signal of SIGNALS) process.on(signal, end);
  const code = await new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", resolve);
  });
  for (const signal of SIGNALS) process.off(signal, end);
  if (code !== 0) {
    process.stderr.write(" failed\n");
    const last = words.trim().split("\n").slice(-8).join("\n");
    throw new SetupError(
      `could not install the ${what}; is the package registry in reach?\n${last}`,
    );
  }
  process.stderr.write(` ${((Date.now() - started) / 1000).toFixed(1)} s\n`);
}

/** The arguments of an npm script or a Deno task. Of what is typed, npm takes the first `--`; Deno hands it on. */
export function commandLine() {
  const args = process.argv.slice(2);
  const at = args.indexOf("--"); // 0, or 1 behind what the task says itself, such as --faults
  return globalThis.Deno && (at === 0 || at === 1) ? args.toSpliced(at, 1) : args;
}

/** Whether the arguments ask for help, so that it can be shown before anything is set up. */
export function asksForHelp(args) {
  const before = args.includes("--") ? args.slice(0, args.indexOf("--")) : args;
  return before.includes("--help") || before.includes("-h");
}

/** Runs `main`; what people can mend becomes one line and exit 1. */
export async function runMain(main) {
  try {
    await main();
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  }
}
