import process from "node:process";
import { endMarkedProcesses, markWithin, RUN_MARK } from "./marked_processes.ts";

const INTERRUPTED = 130;
const PATIENCE_MS = 5_000;

/**
 * From now on a signal that ends this process ends all that it has started too, whichever session that
 * is in; the exit code is 130. For a program's `main`, once.
 *
 * @returns is aborted at the first such signal: nothing more may be started
 */
export function endChildrenAtSignals(): AbortSignal {
  const mark = markWithin(String(process.pid));
  process.env[RUN_MARK] = mark;
  const interrupted = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(signal, async () => {
      if (interrupted.signal.aborted) return; // npm and a terminal both send one
      interrupted.abort();
      await endMarkedProcesses(mark, PATIENCE_MS);
      process.exit(INTERRUPTED);
    });
  }
  return interrupted.signal;
}
