import process from "node:process";

/** Says on standard error what is going on, so that standard output stays the table. */
export type Progress = ReturnType<typeof startProgress>;

/** Progress with the seconds since the start before each line. */
export function startProgress(nowMs: () => number) {
  const startMs = nowMs();
  return {
    say(line: string) {
      const seconds = Math.round((nowMs() - startMs) / 1000);
      process.stderr.write(`${String(seconds).padStart(5)} s  ${line}\n`);
    },
  };
}
