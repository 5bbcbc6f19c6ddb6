import process from "node:process";

/** Says on standard error what is going on, so that standard output stays the table. */
export interface Progress {
  say(line: string): void;
}

/** Progress with the seconds since the start before each line. */
export function startProgress(): Progress {
  const startMs = performance.now();
  return {
    say(line) {
      const seconds = Math.round((performance.now() - startMs) / 1000);
      process.stderr.write(`${String(seconds).padStart(5)} s  ${line}\n`);
    },
  };
}
