import process from "node:process";

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
const ends = new Set<() => void>();

/**
 * Calls `end` when this process ends, by itself or by a signal without another listener (that would
 * end it without a word to what it started). `end` must be synchronous.
 *
 * @returns takes it back
 */
export function atEnd(end: () => void): () => void {
  if (ends.size === 0) {
    process.on("exit", endAll);
    for (const signal of SIGNALS) process.on(signal, onSignal);
  }
  ends.add(end);
  return () => {
    if (!ends.delete(end) || ends.size > 0) return;
    forget();
  };
}

/** One listener for all: each would take the others for the program's own and leave the end to them. */
function onSignal(signal: NodeJS.Signals): void {
  if (process.listenerCount(signal) > 1) return; // the program's own ending comes to us by "exit"
  endAll();
  forget();
  process.kill(process.pid, signal);
}

function endAll(): void {
  for (const end of ends) end();
  ends.clear();
}

function forget(): void {
  process.removeListener("exit", endAll);
  for (const signal of SIGNALS) process.removeListener(signal, onSignal);
}
