import process from "node:process";
import { endMarkedProcesses, markWithin, RUN_MARK } from "./marked_processes.ts";

const INTERRUPTED = 130;
const PATIENCE_MS = 5_000;

/**
 * Makes a signal that ends this process end its descendants too, whichever sessions they are in; the
 * exit code is then 130. A program's `main` calls it once.
 *
 * @returns a signal that is aborted then: no further process may be started
 */
export function endChildrenAtSignals(): AbortSignal {
  const mark = markWithin(String(process.pid));
  process.env[RUN_MARK] = mark;
  const interrupted = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(signal, async () => {
      if (interrupted.signal.aborted) return; // npm and the terminal each send a signal.
      interrupted.abort();
      await endMarkedProcesses(mark, PATIENCE_MS);
      process.exit(INTERRUPTED);
    });
  }
  return interrupted.signal;
}
