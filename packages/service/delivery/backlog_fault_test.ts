import { test } from "node:test";
import process from "node:process";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { assert, assertEquals } from "@std/assert";
import { openServiceClient } from "../../../test/support/service_client.ts";
import { createTestAuthority } from "../../../test/support/test_certificates.ts";
import { random } from "../../../test/support/random.ts";
import { startTestService } from "../../../test/support/test_service.ts";
import { startTestReceiver } from "../../../test/support/webhook_receiver.ts";
import { freePort } from "../../../tools/programs/free_port.ts";
import { readWebhookSecrets } from "../partners/webhook_secrets.ts";
import { createWebhookWorker } from "./worker.ts";

const ORDERS = 10_000;
const CALLERS = 32;
const MINUTE = 60_000;
setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

/** Returns the size of the heap that is in use after a garbage collection. */
function liveHeapBytes(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

test("orders continue while an endpoint is down for a day, and all events arrive later (F81)", async (t) => {
  const service = await startTestService({ databaseConnections: 8 });
  t.after(() => service.close());
  const authority = await createTestAuthority();
  const certificate = await authority.issue({ ip: ["127.0.0.1"] });
  const port = await freePort();
  const [dead, lively] = service.partners;
  const alive = await startTestReceiver(certificate);
  t.after(() => alive.close());
  const { database, secrets } = service.admin;
  for (const [partner, at] of [[dead, port], [lively, alive.port]] as const) {
    await database.sql`
      update partners set webhook_url = ${`https://127.0.0.1:${at}/`}
      where partner_id = ${partner.partnerId}`;
  }
  const clock = { offsetMs: 0 };
  let attempts = 0;
  const worker = createWebhookWorker({
    database,
    readSecrets: (partnerId, nowMs) => readWebhookSecrets(database.sql, secrets, partnerId, nowMs),
    environment: "sandbox",
    endpointPolicy: { allowLoopback: true },
    extraCaPem: authority.certificatePem,
    now: () => Date.now() + clock.offsetMs,
    random,
    metrics: { attempt: (result) => void (result === "delivered" || attempts++) },
  });
  worker.start();
  t.after(() => worker.stop());

  const { client, close } = await openServiceClient(dead, service.ports[0]!);
  t.after(close);
  const other = await openServiceClient(lively, service.ports[0]!);
  t.after(other.close);
  await client.fund({ amountHalalas: 1_000_000_000n });
  await other.client.fund({ amountHalalas: 1_000_000n });
  let left = ORDERS;
  const call = async () => {
    while (left-- > 0) {
      const quote = await client.quote({ side: "buy", goldMicrograms: 10_000n });
      await client.order({ quoteId: quote.id });
    }
  };
  await Promise.all(Array.from({ length: CALLERS }, call));
  const quote = await other.client.quote({ side: "buy", goldMicrograms: 10_000n });
  await other.client.order({ quoteId: quote.id });

  // A day passes, with a poll every ten minutes.
  for (let step = 0; step < 24 * 6 + 12; step++) {
    await worker.runDue();
    clock.offsetMs += 10 * MINUTE;
  }
  assertEquals(alive.received.length, 2, "the other partner has its events");
  assert(attempts < 25, `a dead endpoint costs a few attempts, not ${attempts}`);
  const [deliveries] = await database.sql<{ count: number }[]>`
    select count(*)::int from event_deliveries where partner_id = ${dead.partnerId}`;
  assert(deliveries!.count < 4, `${deliveries!.count} deliveries`);

  const back = await startTestReceiver(certificate, port);
  t.after(() => back.close());
  const heapBefore = liveHeapBytes();
  let highest = 0;
  back.behave = () => {
    const last = back.received.at(-1)!;
    // Only the number is kept, so that the test's own memory is not measured.
    back.received.length = 0;
    sequences.push(JSON.parse(last.body).sequence);
    if (sequences.length % 500 === 0) highest = Math.max(highest, liveHeapBytes());
    return { status: 204 };
  };
  const sequences: number[] = [];
  clock.offsetMs += 24 * 60 * MINUTE;
  await worker.runDue();
  await worker.stop();
  const exhausted = ORDERS + 1 - sequences.length;
  assert(exhausted <= 2, `${exhausted} events were given up`);
  assertEquals(
    sequences.toSorted((a, b) => a - b),
    Array.from(sequences, (_, n) => n + 1 + exhausted),
    "each once",
  );
  assert(highest - heapBefore < 64 * 1024 * 1024, "a backlog is never in memory");
});
