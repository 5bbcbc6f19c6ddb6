import process from "node:process";

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
const ends = new Set<() => void>();

/**
 * Calls `end` when this process exits, or is ended by a signal that nothing else in it listens for;
 * otherwise child processes would be left behind.
 *
 * @param end ends the child processes; must be synchronous
 * @returns a function that cancels the call
 */
export function atEnd(end: () => void): () => void {
  if (ends.size === 0) {
    process.on("exit", endAll);
    // The process of `deno test` has this event alone.
    if ("Deno" in globalThis) globalThis.addEventListener("unload", endAll);
    for (const signal of SIGNALS) process.on(signal, onSignal);
  }
  ends.add(end);
  return () => {
    if (!ends.delete(end) || ends.size > 0) return;
    forget();
  };
}

/** The module's only listener, since further ones would look like the program's own. */
function onSignal(signal: NodeJS.Signals): void {
  if (process.listenerCount(signal) > 1) return; // the program ends itself, and "exit" calls us
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
  if ("Deno" in globalThis) globalThis.removeEventListener("unload", endAll);
  for (const signal of SIGNALS) process.removeListener(signal, onSignal);
}
