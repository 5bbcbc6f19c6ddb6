/** Runs one TypeScript program of the repository in this process, on Node as on Deno. */
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import process from "node:process";
import { pathToFileURL } from "node:url";
import { ensurePackages, ROOT } from "./setup.mjs";

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"];

/**
 * Installs missing packages and runs `file` with `args` as its arguments.
 *
 * On Node the file runs in this process, built or through tsx. Deno read its settings before the packages
 * were installed, so it runs the file in a new process: it passes signals on, and ends with that process's
 * exit code.
 *
 * @param {string} file the program's path from the repository's root
 * @param {string[]} args the program's arguments, `process.argv.slice(2)`
 * @param {{ dev: boolean, isBuilt?: boolean, permissions?: string[] }} options dev: it needs the development
 * packages too; isBuilt: people wait for its start, so Node runs a build; permissions: what it may do on
 * Deno, everything when left out
 */
export async function runTypeScript(file, args, { dev, isBuilt = false, permissions = ["-A"] }) {
  await ensurePackages({ dev });
  const path = resolve(ROOT, file);
  if (globalThis.Deno) return await runOnDeno(path, args, permissions);
  process.argv = [process.argv[0], path, ...args];
  const built = isBuilt ? await findBuilt(file) : undefined;
  if (built === undefined) {
    const { register } = await import("tsx/esm/api");
    // The repository's settings for JSX, whatever the working directory.
    register({ tsconfig: join(ROOT, "tsconfig.json") });
  }
  await import(pathToFileURL(built ?? path).href);
}

/** Returns the program's build; undefined if it cannot be written. */
async function findBuilt(file) {
  const { builtProgram } = await import("./build/built_program.mjs");
  try {
    return await builtProgram(ROOT, file);
  } catch (error) {
    if (["EACCES", "EROFS", "EPERM"].includes(error.code)) return undefined;
    throw error;
  }
}

/**
 * Shows a help text if the arguments ask for it, before any package is installed.
 *
 * @param {string} file the text's path from the repository's root
 * @param {string[]} args
 * @param {{ hasCommands?: boolean }} options hasCommands: `--help` after a command is left to that command
 * @returns {boolean} whether help was asked for
 */
export function showHelp(file, args, { hasCommands = false } = {}) {
  const before = args.includes("--") ? args.slice(0, args.indexOf("--")) : args;
  if (!before.some((arg) => arg === "--help" || arg === "-h")) return false;
  if (hasCommands && args.some((arg) => !arg.startsWith("-"))) return false;
  process.stdout.write(readFileSync(join(ROOT, file), "utf8"));
  return true;
}

async function runOnDeno(path, args, permissions) {
  const child = new Deno.Command(Deno.execPath(), { args: ["run", ...permissions, path, ...args] })
    .spawn();
  // Ctrl-C reaches the child from the terminal too; a second signal changes nothing.
  const pass = SIGNALS.map((signal) => [signal, () => child.kill(signal)]);
  for (const [signal, listener] of pass) Deno.addSignalListener(signal, listener);
  const { code } = await child.status;
  for (const [signal, listener] of pass) Deno.removeSignalListener(signal, listener);
  process.exit(code);
}
