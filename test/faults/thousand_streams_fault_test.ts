import { after, test } from "node:test";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import type { IncomingMessage } from "node:http";
import { request } from "node:https";
import process from "node:process";
import { createClient, type Kit, openKit } from "@sabika/client";
import { assert, assertEquals } from "@std/assert";
import { sendRaw } from "../support/raw_https.ts";
import { tokenRequest } from "../support/service_requests.ts";
import { sized } from "../support/sized.ts";
import { openTestStack } from "../support/stack/stack_for_tests.ts";
import { until } from "../support/until.ts";

/**
 * A thousand streams at one instance behind Envoy (Decision D78): what they cost each of the two. In
 * their whole size they are left alone for twice as long as a silent stream may live at the sidecar.
 */
const PARTNERS = 100;
const STREAMS_OF_EACH = 10;
const IDLE_MS = sized(10_000, 120_000);

test("a thousand streams through Envoy cost little memory, and each gets every event", async () => {
  const test = await openTestStack({ instances: 1, partners: PARTNERS });
  const answers: IncomingMessage[] = [];
  after(async () => {
    for (const answer of answers) answer.destroy();
    await test.close();
  });
  const { port: listening, host } = new URL(test.stack.baseUrl);
  const port = Number(listening);
  const server = test.stack.instances()[0]!.pid;
  const envoy = test.stack.sidecar().pid;
  const costs = async () => ({ server: await costOf(server), envoy: await costOf(envoy) });
  const kits: Kit[] = [];
  for (const folder of test.stack.kits) kits.push(await openKit(folder));
  const before = await costs();
  let received = 0;
  for (const kit of kits) {
    const { caPem: ca, certificatePem: cert, privateKeyPem: key } = kit;
    const caller = { port, caPem: ca, certificatePem: cert, keyPem: key };
    const answered = await sendRaw(caller, tokenRequest({ kit, host }));
    assertEquals(answered.status, 200, answered.body);
    const { access_token } = JSON.parse(answered.body) as { access_token: string };
    const path = "/v1/events/stream?after_sequence=0";
    const headers = { host, authorization: `Bearer ${access_token}` };
    await Promise.all(Array.from({ length: STREAMS_OF_EACH }, async () => {
      const to = { host: "127.0.0.1", servername: "localhost", port, path, ca, cert, key };
      const sent = request({ ...to, headers, agent: false }).end();
      const [answer] = await once(sent, "response") as [IncomingMessage];
      answer.on("error", () => {});
      answer.on("data", (chunk) => received += String(chunk).split("id: ").length - 1);
      answers.push(answer);
    }));
  }
  const refused = answers.filter(({ statusCode }) => statusCode !== 200);
  assertEquals(refused.map(({ statusCode }) => statusCode), [], "all are open");
  const opened = await costs();
  await new Promise((resolve) => setTimeout(resolve, IDLE_MS));
  assertEquals(answers.filter(({ complete }) => complete).length, 0, "heartbeats keep each open");
  const idle = await costs();
  for (const kit of kits) {
    const client = createClient(kit);
    await client.fund({ amountHalalas: 100n });
    await client.close();
  }
  await until(() => received >= PARTNERS * STREAMS_OF_EACH, 60_000);
  for (const part of ["server", "envoy"] as const) {
    const megabytes = idle[part].megabytes - before[part].megabytes;
    const percent = (idle[part].cpuMs - opened[part].cpuMs) / IDLE_MS * 100;
    const opening = (opened[part].cpuMs - before[part].cpuMs) / answers.length;
    process.stderr.write(
      `1000 streams, ${part}: ${megabytes.toFixed(0)} MB more ` +
        `(${idle[part].megabytes.toFixed(0)} in all), ${
          percent.toFixed(1)
        } % of a core when idle, ` +
        `${opening.toFixed(1)} ms to open one\n`,
    );
    assert(megabytes < 300, `${part}: ${megabytes} MB`);
  }
});

/** Resident memory and processor time of a process. */
async function costOf(pid: number): Promise<{ megabytes: number; cpuMs: number }> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  const stat = (await readFile(`/proc/${pid}/stat`, "utf8")).split(") ")[1]!.split(" ");
  const megabytes = Number(/VmRSS:\s+(\d+)/.exec(status)![1]) / 1024;
  // User and system time in hundredths of a second.
  return { megabytes, cpuMs: (Number(stat[11]) + Number(stat[12])) * 10 };
}
