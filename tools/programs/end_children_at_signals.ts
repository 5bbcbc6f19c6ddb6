import process from "node:process";
import { endMarkedProcesses, markWithin, RUN_MARK } from "./marked_processes.ts";

const INTERRUPTED = 130;
const PATIENCE_MS = 5_000;

/**
 * From now on a signal that ends this process ends all that it has started too, whichever session that
 * is in; the exit code is 130. For a program's `main`, once.
 */
export function endChildrenAtSignals(): void {
  const mark = markWithin(String(process.pid));
  process.env[RUN_MARK] = mark;
  let isEnding = false;
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(signal, async () => {
      if (isEnding) return; // npm and a terminal both send one
      isEnding = true;
      await endMarkedProcesses(mark, PATIENCE_MS);
      process.exit(INTERRUPTED);
    });
  }
}
