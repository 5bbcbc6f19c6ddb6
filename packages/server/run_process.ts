import process from "node:process";
import { DeploymentError } from "@sabika/service/deployment";
import { SchemaError } from "@sabika/service/schema";
import { type Env, SettingsError } from "@sabika/terms/settings";
import { configureLogging } from "./logging/configure_logging.ts";
import { describeError, type Log } from "./logging/log.ts";
import { createLineWriter } from "./logging/write_lines.ts";

/** What a program of the service takes from its process. */
export interface ProcessSurroundings {
  readonly env: Env;
  readonly log: Log;
  /** Log lines that could not be written. */
  readonly lostLogLines: () => number;
}

/** Something that runs until the process is told to end. */
export interface Program {
  start(): Promise<unknown>;
  /** Stops the program and lets requests in flight finish; may be called while it still starts. */
  stop(): Promise<void>;
}

/**
 * Runs a program as this process: it logs to standard output, SIGTERM and SIGINT stop it, a second signal
 * ends it at once, and an error at the start or the stop is reported in one line with exit code 1.
 */
export function runProcess(create: (surroundings: ProcessSurroundings) => Promise<Program>): void {
  run(create).catch(fail);
}

async function run(create: (surroundings: ProcessSurroundings) => Promise<Program>): Promise<void> {
  const lines = createLineWriter(1);
  const { log, flush } = await configureLogging(lines.write);
  process.on("exit", flush);
  const program = await create({ env: process.env, log, lostLogLines: lines.lost });
  let isStopping = false;
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    process.on(signal, () => {
      if (isStopping) process.exit(1);
      isStopping = true;
      program.stop().then(() => process.exit(0), fail);
    });
  }
  process.on("unhandledRejection", (error) => {
    log("error", "unhandled_rejection", { error: describeError(error) });
  });
  await program.start().catch((error: unknown) => {
    // Stopped while waiting for the database: `stop` decides how the process ends.
    if (!isStopping) throw error;
  });
}

/** One line for people and exit code 1; no stack trace, because the line says what to do. */
function fail(error: unknown): void {
  const isExpected = error instanceof SettingsError || error instanceof SchemaError ||
    error instanceof DeploymentError;
  const text = isExpected ? error.message : `cannot start: ${explain(error)}`;
  process.stderr.write(`sabika: ${text.replaceAll("\n", " ")}\n`);
  process.exit(1);
}

function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code, address, path } = error as { code?: string; address?: string; path?: string };
  // A missing file has a path; a socket has an address.
  if (code === "ECONNREFUSED" || (code === "ENOENT" && path === undefined)) {
    return `the database does not answer${address ? ` at ${address}` : ""} (${code})`;
  }
  if (code === "EADDRINUSE") return "the address is in use by another process";
  return `${error.message}${path ? ` (${path})` : ""}`;
}
