import process from "node:process";

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/**
 * Calls `end` when this process ends, by itself or by a signal that nobody else listens to (that would
 * end it without a word to what it started). `end` must be synchronous.
 *
 * @returns takes it back
 */
export function atEnd(end: () => void): () => void {
  const listeners = SIGNALS.map((signal) => {
    const listener = () => {
      if (process.listenerCount(signal) > 1) return; // the program's own ending comes to us by "exit"
      end();
      process.removeListener(signal, listener);
      process.kill(process.pid, signal);
    };
    process.on(signal, listener);
    return [signal, listener] as const;
  });
  process.on("exit", end);
  return () => {
    process.removeListener("exit", end);
    for (const [signal, listener] of listeners) process.removeListener(signal, listener);
  };
}
