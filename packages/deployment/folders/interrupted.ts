import process from "node:process";

/** Resolves at SIGINT, SIGTERM or SIGHUP; more change nothing, since terminal and parent may both send one. */
export function untilInterrupted(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
      process.on(signal, () => resolve());
    }
  });
}

/** Whether an error says that the command line is wrong: of `parseArgs`, or a TypeError on a `--option`. */
export function isWrongUse(error: unknown): boolean {
  if (!(error instanceof TypeError)) return false;
  const { code = "", message } = error as { code?: string; message: string };
  return code.startsWith("ERR_PARSE_ARGS") || message.startsWith("--");
}
