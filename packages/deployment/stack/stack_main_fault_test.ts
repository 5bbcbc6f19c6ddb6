import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdir, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { createClient, openKit } from "@sabika/client";
import { testRecord } from "../../../test/secret_search/record.ts";
import { until } from "../../../test/support/until.ts";
import { temporaryFolder } from "../../../test/support/temporary_folder.ts";
import { RUNTIME_ARGUMENTS } from "../../../tools/programs/own_process.ts";

const MAIN = fileURLToPath(new URL("./main.ts", import.meta.url));
const COMMAND = [...RUNTIME_ARGUMENTS, MAIN];

describe("npm run stack", () => {
  const folder = temporaryFolder();
  let data = "";
  let temporary = "";
  before(async () => {
    await chmod(folder, 0o711);
    data = join(folder, "data");
    temporary = join(folder, "tmp");
    await mkdir(temporary);
  });
  after(async () => {
    testRecord.dataFolder(folder);
  });

  const start = async (...args: string[]): Promise<{ child: ChildProcess; out: () => string }> => {
    const child = spawn(process.execPath, [...COMMAND, "--data", data, "--port", "0", ...args], {
      env: { ...process.env, TMPDIR: temporary },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let out = "";
    child.once("close", () => testRecord.log("stack", out));
    const ready = new Promise<void>((resolve, reject) => {
      const collect = (part: Uint8Array) => {
        out += new TextDecoder().decode(part);
        if (/^ready https:/m.test(out)) resolve();
      };
      child.stdout!.on("data", collect);
      child.stderr!.on("data", collect);
      child.once("exit", () => reject(new Error(out)));
    });
    await ready;
    return { child, out: () => out };
  };

  it("prints its progress, serves, stops in order at Ctrl-C, and continues with its data", async () => {
    const first = await start("--instances", "1", "--cells", "1");
    for (
      const word of [
        "cell_1: PostgreSQL, process",
        "PostgreSQL, durable",
        "migrations",
        "instance",
        "Envoy in front",
        "kit ",
        "the operator's console: http://localhost:",
        "a link to register your passkey, valid once: http://",
      ]
    ) {
      assertStringIncludes(first.out(), word);
    }
    const [, metrics] = /^metrics (http:.*)\/targets$/m.exec(first.out())!;
    for (
      const [path, text] of [
        ["targets", '"__metrics_path__":"/server/server-1"'],
        ["server/server-1", "sabika_ready 1"],
        ["server/delivery", "sabika_outbox_lag_seconds"],
        ["sidecar/sidecar", "envoy_cluster_membership_healthy"],
      ]
    ) {
      assertStringIncludes(await (await fetch(`${metrics}/${path}`)).text(), text!);
    }
    const kit = join(data, "partners", "partner-1");
    const client = createClient(await openKit(kit));
    await client.fund({ amountHalalas: 12_345n });
    await client.close();
    assert((await processesOf(data)).length >= 3, "instance, Envoy and this are processes of it");
    process.kill(first.child.pid!, "SIGINT");
    assertEquals((await once(first.child, "exit"))[0], 0);
    assertEquals(await processesOf(data), []);
    const left = (await readdir(temporary)).filter((name) => name.startsWith("sabika"));
    assertEquals(left, [], "nothing is left outside of the data folder");

    const second = await start("--instances", "1");
    const again = createClient(await openKit(kit));
    assertEquals((await again.balances()).sarHalalas, 12_345n);
    await again.close();
    assertStringIncludes(second.out(), "0 applied");
    assertStringIncludes(second.out(), "cell_1: PostgreSQL, process");
    process.kill(second.child.pid!, "SIGTERM");
    assertEquals((await once(second.child, "exit"))[0], 0);
    assertEquals(await processesOf(data), []);
  });

  it("starts again after it was killed, and ends the processes that it left", async () => {
    const first = await start("--instances", "1");
    const kit = await openKit(join(data, "partners", "partner-1"));
    process.kill(first.child.pid!, "SIGKILL");
    await once(first.child, "exit");
    const left = await processesOf(data);
    assert(left.length >= 2, "its parts run on");
    const second = await start("--instances", "1");
    assertStringIncludes(second.out(), "process(es) of a stack that was killed");
    // Helpers of ended processes, such as a compiler, end when they notice it.
    let still = await processesOf(data);
    for (let turn = 0; turn < 100 && left.some((pid) => still.includes(pid)); turn++) {
      await new Promise((resolve) => setTimeout(resolve, 50));
      still = await processesOf(data);
    }
    const commands = await Promise.all(
      left.filter((pid) => still.includes(pid)).map((pid) =>
        readFile(`/proc/${pid}/cmdline`, "utf8")
      ),
    );
    assertEquals(commands, []);
    const client = createClient({ ...kit, baseUrl: second.out().match(/^ready (.+)$/m)![1]! });
    assertEquals((await client.balances()).sarHalalas, 12_345n);
    // Everything is killed at once, and all of it is restarted.
    for (const pid of still) {
      const command = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
      if (/envoy\0|server\/main\.ts/.test(command)) process.kill(pid, "SIGKILL");
    }
    const postmaster = await readFile(join(data, "postgresql", "postmaster.pid"), "utf8");
    process.kill(Number(postmaster.split("\n")[0]), "SIGKILL");
    for (const part of ["Envoy", "PostgreSQL", "server-1"]) {
      await until(() => second.out().includes(`${part} ended by itself`));
    }
    await until(
      () => client.balances().then(({ sarHalalas }) => sarHalalas === 12_345n, () => false),
      60_000,
    );
    await client.close();
    process.kill(second.child.pid!, "SIGINT");
    assertEquals((await once(second.child, "exit"))[0], 0);
    assertEquals(await processesOf(data), []);
  });
});

/** Finds the processes that were started with this folder in their command or environment. */
async function processesOf(folder: string): Promise<number[]> {
  const found: number[] = [];
  for (const name of await readdir("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    const read = (file: string) => readFile(`/proc/${name}/${file}`, "utf8").catch(() => "");
    if ((await read("cmdline") + await read("environ")).includes(folder)) found.push(Number(name));
  }
  return found;
}
