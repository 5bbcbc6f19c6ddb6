import process from "node:process";
import { runSidecar } from "./run_sidecar.ts";

const { stdout, stderr } = process;
process.exitCode = await runSidecar(process.argv.slice(2), {
  nowMs: Date.now(),
  stdout,
  stderr,
  // More signals change nothing, since terminal and parent may both send one.
  interrupted: () =>
    new Promise((resolve) => {
      for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
        process.on(signal, () => resolve());
      }
    }),
});
