import process from "node:process";

/** Resolves at Ctrl-C; more signals change nothing, since a terminal and a parent may both send one. */
export function untilInterrupted(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
      process.on(signal, () => resolve());
    }
  });
}

/** Whether what was thrown says that a command line is wrong: `parseArgs` and our own readers. */
export function isWrongUse(error: unknown): boolean {
  if (!(error instanceof TypeError)) return false;
  const { code = "", message } = error as { code?: string; message: string };
  return code.startsWith("ERR_PARSE_ARGS") || message.startsWith("--");
}
