import { assertEquals, assertStringIncludes } from "@std/assert";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { rootCertificates } from "node:tls";
import { ROOT } from "./rules/repository_files.ts";
import { ensureDeno } from "./setup.mjs";
import { temporaryFolder } from "../test/support/temporary_folder.ts";

/** Starts the sandbox as `deno task start` does, and ends it after `whenReady`. */
async function startAndStop(
  data: string,
  extraAuthorities: string,
  whenReady = () => Promise.resolve(),
): Promise<{ exitCode: number | null; output: string }> {
  const args = ["run", "-A", "tools/start.mjs", "--", "--port", "0", "--data", data];
  const child = spawn(await ensureDeno(), args, {
    cwd: ROOT,
    // With this variable, as behind a proxy that intercepts TLS, Deno requires more permissions.
    env: { ...process.env, NO_COLOR: "1", NODE_EXTRA_CA_CERTS: extraAuthorities },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  let isStopped = false;
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
      if (!isStopped && /^ready https/m.test(output)) {
        isStopped = true;
        void whenReady().finally(() => process.kill(child.pid!, "SIGTERM"));
      }
    });
  }
  const [exitCode] = await once(child, "close") as [number | null];
  return { exitCode, output };
}

test("on Deno the sandbox runs its flow and starts again with its permissions", async () => {
  const folder = temporaryFolder();
  // Too long for a Unix socket's path, so the socket is in the temporary folder.
  const data = join(folder, "data with a long name".padEnd(100, "."));
  const extraAuthorities = join(folder, "authorities.pem");
  await writeFile(extraAuthorities, rootCertificates[0]!);
  const first = await startAndStop(data, extraAuthorities);
  assertEquals(first.exitCode, 0, first.output);
  assertStringIncludes(first.output, "the signature verifies");
  let beside = { exitCode: null as number | null, output: "" };
  const second = await startAndStop(data, extraAuthorities, async () => {
    beside = await startAndStop(data, extraAuthorities);
  });
  // It may not query other processes, but still does not take over the folder.
  assertEquals(beside.exitCode, 1, beside.output);
  assertStringIncludes(beside.output, "another sandbox (process");
  assertEquals(second.exitCode, 0, second.output);
  assertStringIncludes(second.output, "continuing with the data folder");
  assertEquals(/NotCapable|error/i.test(first.output + second.output), false);
});
