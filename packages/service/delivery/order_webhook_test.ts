import { test } from "node:test";
import { Webhook } from "standardwebhooks";
import { assert, assertEquals } from "@std/assert";
import { random } from "../../../test/support/random.ts";
import { openServiceClient } from "../../../test/support/service_client.ts";
import { createTestAuthority } from "../../../test/support/test_certificates.ts";
import { startTestService } from "../../../test/support/test_service.ts";
import { startTestReceiver } from "../../../test/support/webhook_receiver.ts";
import { readWebhookSecrets } from "../partners/webhook_secrets.ts";
import { createWebhookWorker } from "./worker.ts";

test("a partner's actions arrive as signed events that agree with the API", async () => {
  const service = await startTestService();
  const authority = await createTestAuthority();
  const receiver = await startTestReceiver(await authority.issue({ ip: ["127.0.0.1"] }));
  const [partner] = service.partners;
  const { database, secrets } = service.admin;
  const url = `https://127.0.0.1:${receiver.port}/hook`;
  await database.sql`
    update partners set webhook_url = ${url} where partner_id = ${partner.partnerId}`;
  const worker = createWebhookWorker({
    database,
    readSecrets: (partnerId, nowMs) => readWebhookSecrets(database.sql, secrets, partnerId, nowMs),
    environment: "sandbox",
    endpointPolicy: { allowLoopback: true },
    extraCaPem: authority.certificatePem,
    now: Date.now,
    random,
  });
  const { client, exchanges, close } = await openServiceClient(partner, service.ports[0]!);
  try {
    await client.fund({ amountHalalas: 1_000_000n });
    const quote = await client.quote({ side: "buy", goldMicrograms: 1_500_000n });
    const order = await client.order({ quoteId: quote.id, clientReference: "Trade «1»" });
    await client.withdraw({ amountHalalas: 1_000n });
    await worker.runDue();

    assertEquals(receiver.received.length, 3);
    const events = receiver.received.map(({ headers, body }) =>
      new Webhook(partner.kit.webhookSecret).verify(body, headers) as {
        id: string;
        type: string;
        sequence: number;
        data: { object: Record<string, unknown> };
      }
    ).toSorted((a, b) => a.sequence - b.sequence);
    assertEquals(events.map(({ type, sequence }) => [type, sequence]), [
      ["funding.completed", 1],
      ["order.executed", 2],
      ["withdrawal.created", 3],
    ]);
    // The objects are the API's answers, without the balances of an order (Decision D11).
    const answers = ["/sandbox/fund", "/v1/orders", "/v1/withdrawals"].map((path) =>
      JSON.parse(exchanges.find((each) => each.url.endsWith(path))!.answer!)
    );
    delete answers[1].balances;
    assertEquals(events.map(({ data }) => data.object), answers);
    assertEquals(events[1]!.data.object.id, order.id);
    // GET returns the event as delivered, with the state of its delivery.
    const read = await client.getEvent(events[1]!.id);
    assert(read.type === "order.executed");
    assertEquals([read.object.totalHalalas, read.delivery?.status], [
      quote.totalHalalas,
      "delivered",
    ]);
    await client.redeliver(read.id);
    await worker.runDue();
    // Events of one moment may arrive in any order.
    const [first, again] = receiver.received.filter(({ body }) => body.includes(`"${read.id}"`));
    assertEquals([receiver.received.length, again!.body], [4, first!.body]);
  } finally {
    await close();
    await receiver.close();
    await service.close();
  }
});
