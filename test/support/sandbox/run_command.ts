import { spawn } from "node:child_process";
import { once } from "node:events";
import process from "node:process";
import { join } from "node:path";
import { builtProgram } from "../../../tools/build/built_program.mjs";
import { runtimeArguments } from "../../../tools/programs/own_process.ts";
import { ROOT } from "../../../tools/rules/repository_files.ts";
import { testRecord } from "../../secret_search/record.ts";

/** The sandbox's command as a separate process, on the same runtime as the test. */
export type RunningCommand = ReturnType<typeof runCommand>;

const SOURCE = "packages/sandbox/main.ts";
/** On Node the build that `npm start` runs, too. */
const MAIN = "Deno" in globalThis ? join(ROOT, SOURCE) : await builtProgram(ROOT, SOURCE);

/** The flag that tools/start.mjs uses, too. */
const WASM = "Deno" in globalThis ? "--v8-flags=--liftoff-only" : "--liftoff-only";

/** Starts the sandbox with these arguments, without installing packages first. */
export function runCommand(args: string[], cwd?: string) {
  return runServing([...runtimeArguments(MAIN), WASM, MAIN, ...args], cwd);
}

/** Starts a program on this runtime that prints `ready` with its base URL when it serves. */
export function runServing(args: string[], cwd?: string) {
  const child = spawn(process.execPath, args, {
    cwd,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  const ended = once(child, "close") as Promise<[number | null]>;
  child.once("close", () => testRecord.log("sandbox", output));
  const ready = new Promise<string>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text: string) => {
        output += text;
        const [, baseUrl] = /^ready (https:\S+)\n/m.exec(output) ?? [];
        if (baseUrl !== undefined) resolve(baseUrl);
      });
    }
    void ended.then(() => reject(new Error(`it ended before it was ready:\n${output}`)));
  });
  ready.catch(() => {}); // The caller that awaits `ready` gets the error.
  return {
    pid: child.pid!,
    output: () => output,
    /** Resolves with the base URL of the line `ready …`; rejects if the process ends before. */
    ready,
    /** Sends the signal, if any, and resolves with the exit code. */
    async end(signal?: "SIGINT" | "SIGTERM") {
      if (signal !== undefined && child.exitCode === null) process.kill(child.pid!, signal);
      return (await ended)[0];
    },
  };
}
