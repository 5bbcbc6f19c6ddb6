import process from "node:process";
import { DeploymentError } from "@sabika/core/partners";
import { SchemaError } from "@sabika/core/store";
import { configureLogging } from "./logging/configure_logging.ts";
import { describeError } from "./logging/log.ts";
import { createLineWriter } from "./logging/write_lines.ts";
import { lowerPriority } from "./lower_priority.ts";
import { pooledRandom } from "./pooled_random.ts";
import { createService } from "./service.ts";
import { readSettings, SettingsError } from "./settings.ts";

/** The service as a process: the one place here that names clock, randomness and environment. */
async function main(): Promise<void> {
  const lines = createLineWriter(1);
  const { log, flush } = await configureLogging(lines.write);
  process.on("exit", flush);
  const settings = await readSettings(process.env);
  const service = createService(settings, {
    now: Date.now,
    random: pooledRandom((bytes) => crypto.getRandomValues(bytes)),
    log,
    lostLogLines: lines.lost,
  });
  let isStopping = false;
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    process.on(signal, () => {
      if (isStopping) process.exit(1);
      isStopping = true;
      service.stop().then(() => process.exit(0), fail);
    });
  }
  process.on("unhandledRejection", (error) => {
    log("error", "unhandled_rejection", { error: describeError(error) });
  });
  await service.start().catch((error: unknown) => {
    // It was stopped while it waited for its database: `stop` says how the process ends.
    if (!isStopping) throw error;
  });
  if (settings.listen.kind === "nowhere") await lowerPriority();
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

main().catch(fail);
