import { after, test } from "node:test";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import type { IncomingMessage } from "node:http";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { assert } from "@std/assert";
import { sendRaw } from "../../test/support/raw_https.ts";
import { write } from "../../test/support/service_requests.ts";
import { ownTlsEnvironment, spawnServer } from "../../test/support/server/server_process.ts";
import { startTestService } from "../../test/support/test_service.ts";
import { until } from "../../test/support/until.ts";
import { freePort } from "../../tools/programs/free_port.ts";

// A thousand streams at one instance, a process of its own (Decision D78): what they cost.

const PARTNERS = 100;
const STREAMS_OF_EACH = 10;

test("a thousand streams cost an instance little memory, and each gets every event", async () => {
  const folder = await mkdtemp(join(tmpdir(), "sabika-streams-"));
  const service = await startTestService();
  const port = await freePort();
  const server = spawnServer(await ownTlsEnvironment(service, folder, port));
  const answers: IncomingMessage[] = [];
  after(async () => {
    for (const answer of answers) answer.destroy();
    server.kill("SIGKILL");
    await service.close();
    await rm(folder, { recursive: true, force: true });
  });
  const partners: Awaited<ReturnType<typeof service.admit>>[] = [];
  for (let n = 0; n < PARTNERS; n++) partners.push(await service.admit(`bank-${n}`));
  const [first] = partners;
  await until(
    () => fetchHealth(service.caller(first!), port),
    60_000,
  );
  const before = await costOf(server.pid!);
  let received = 0;
  for (const partner of partners) {
    const { caPem: ca, certificatePem: cert, keyPem: key } = service.caller(partner);
    const authorization = `Bearer ${await service.token(partner)}`;
    await Promise.all(Array.from({ length: STREAMS_OF_EACH }, async () => {
      const path = "/v1/events/stream?after_sequence=0";
      const sent = request({
        ...{ host: "127.0.0.1", port, path, ca, cert: cert!, key: key!, agent: false },
        headers: { authorization },
      }).end();
      const [answer] = await once(sent, "response") as [IncomingMessage];
      answer.on("error", () => {});
      answer.on("data", (chunk) => received += String(chunk).split("id: ").length - 1);
      answers.push(answer);
    }));
  }
  assert(answers.every(({ statusCode }) => statusCode === 200), "all are open");
  const opened = await costOf(server.pid!);
  const idleMs = 10_000;
  await new Promise((resolve) => setTimeout(resolve, idleMs));
  const idle = await costOf(server.pid!);
  for (const partner of partners) {
    const bearer = await service.token(partner);
    await sendRaw(service.caller(partner), write("/sandbox/fund", bearer, '{"amount_sar":1}'));
  }
  await until(() => received >= PARTNERS * STREAMS_OF_EACH, 60_000);
  const busy = await costOf(server.pid!);
  const percent = (idle.cpuMs - opened.cpuMs) / idleMs * 100;
  const megabytes = idle.megabytes - before.megabytes;
  process.stderr.write(
    `1000 streams: ${megabytes.toFixed(0)} MB more (${idle.megabytes.toFixed(0)} in all), ` +
      `${percent.toFixed(1)} % of a core when idle, ` +
      `${((busy.cpuMs - idle.cpuMs) / received).toFixed(2)} ms a delivered event, ` +
      `${((opened.cpuMs - before.cpuMs) / answers.length).toFixed(1)} ms to open one\n`,
  );
  assert(megabytes < 300, `${megabytes} MB`);
});

async function fetchHealth(caller: Parameters<typeof sendRaw>[0], port: number): Promise<boolean> {
  const headers = [["Host", "sabika.test"]] as const;
  return await sendRaw({ ...caller, port }, { method: "GET", target: "/health", headers })
    .then(({ status }) => status === 200, () => false);
}

/** Resident memory and processor time of a process. */
async function costOf(pid: number): Promise<{ megabytes: number; cpuMs: number }> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  const stat = (await readFile(`/proc/${pid}/stat`, "utf8")).split(") ")[1]!.split(" ");
  const megabytes = Number(/VmRSS:\s+(\d+)/.exec(status)![1]) / 1024;
  // User and system time in hundredths of a second.
  return { megabytes, cpuMs: (Number(stat[11]) + Number(stat[12])) * 10 };
}
