import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Integration, StepResult } from "./integration.ts";

/**
 * A partner's program as the integration: it reads a step a line from its standard input, as JSON, and writes a
 * result a line to its standard output. What else it wants to say goes to its standard error.
 *
 * @param command a line for the shell
 */
export function programIntegration(command: string): Integration {
  const program = spawn(command, { shell: true, stdio: ["pipe", "pipe", "inherit"] });
  const lines = createInterface({ input: program.stdout })[Symbol.asyncIterator]();
  const closed = once(program, "close");
  // A program that has ended is seen by its output's end.
  program.stdin.on("error", () => {});
  return {
    name: command,
    async do(step) {
      program.stdin.write(`${JSON.stringify(step)}\n`);
      const line = await lines.next();
      if (line.done) return { ok: false, code: "the program has ended" };
      try {
        const result = JSON.parse(line.value) as StepResult;
        if (typeof result.ok === "boolean") return result;
      } catch {
        // Said below.
      }
      return { ok: false, code: "the program's answer is no line of JSON with `ok`" };
    },
    async close() {
      program.stdin.end();
      await closed;
    },
  };
}
