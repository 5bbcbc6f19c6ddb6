import { assertEquals } from "@std/assert";
import { spawn } from "node:child_process";
import { once } from "node:events";
import process from "node:process";
import { test } from "node:test";
import { markedProcesses, markWithin, RUN_MARK } from "./marked_processes.ts";

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  test(`endChildrenAtSignals() ends a child in a session of its own at ${signal}`, async () => {
    const mark = markWithin(crypto.randomUUID());
    const program = `
      import { spawn } from "node:child_process";
      import { endChildrenAtSignals } from ${
      JSON.stringify(new URL("end_children_at_signals.ts", import.meta.url))
    };
      endChildrenAtSignals();
      spawn("sleep", ["65"], { stdio: "ignore", detached: true });
      console.log("up");`;
    const args = "Deno" in globalThis
      ? ["eval", "--ext=ts", program]
      : ["--import", "tsx", "--input-type=module", "--eval", program];
    const child = spawn(process.execPath, args, {
      env: { ...process.env, [RUN_MARK]: mark },
      stdio: ["ignore", "pipe", "inherit"],
    });
    await once(child.stdout, "data");
    const ended = once(child, "exit");
    // Not child.kill(): after it Deno reports the signal, whatever the process ended with.
    process.kill(child.pid!, signal);
    process.kill(child.pid!, signal);
    assertEquals((await ended)[0], 130);
    assertEquals(markedProcesses(mark), []);
  });
}
