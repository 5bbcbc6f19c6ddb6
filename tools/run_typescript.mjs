/** Runs one TypeScript program of the repository in this process, on Node as on Deno. */
import { join, resolve } from "node:path";
import process from "node:process";
import { pathToFileURL } from "node:url";
import { ensurePackages, ROOT } from "./setup.mjs";

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"];

/**
 * Sets the packages up and runs `file` with `args` as its arguments.
 *
 * On Node the file runs here, with tsx for the types. Deno has read its settings before the packages
 * were there, so it runs the file in a process of its own: signals and the exit code pass through.
 *
 * @param {string} file path of the program
 * @param {string[]} args what the program finds in `process.argv.slice(2)`
 * @param {{ dev: boolean, permissions?: string[] }} options dev: it needs the development packages too;
 * permissions: what it may do on Deno, everything when left out
 */
export async function runTypeScript(file, args, { dev, permissions = ["-A"] }) {
  await ensurePackages({ dev });
  const path = resolve(file);
  if (globalThis.Deno) return await runOnDeno(path, args, permissions);
  const { register } = await import("tsx/esm/api");
  // The settings of JSX, wherever the command was called.
  register({ tsconfig: join(ROOT, "tsconfig.json") });
  process.argv = [process.argv[0], path, ...args];
  await import(pathToFileURL(path).href);
}

async function runOnDeno(path, args, permissions) {
  const child = new Deno.Command(Deno.execPath(), { args: ["run", ...permissions, path, ...args] })
    .spawn();
  // Ctrl-C reaches the child from the terminal too: whoever hears it twice ends once.
  const pass = SIGNALS.map((signal) => [signal, () => child.kill(signal)]);
  for (const [signal, listener] of pass) Deno.addSignalListener(signal, listener);
  const { code } = await child.status;
  for (const [signal, listener] of pass) Deno.removeSignalListener(signal, listener);
  process.exit(code);
}
