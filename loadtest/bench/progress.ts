import process from "node:process";

/** Reports progress on standard error, so that standard output has only the tables. */
export interface Progress {
  say(line: string): void;
}

/** Starts a progress report, whose lines begin with the seconds since now. */
export function startProgress(): Progress {
  const startMs = performance.now();
  return {
    say(line) {
      const seconds = Math.round((performance.now() - startMs) / 1000);
      process.stderr.write(`${String(seconds).padStart(5)} s  ${line}\n`);
    },
  };
}
