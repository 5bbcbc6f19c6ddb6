import { after, before, describe, test } from "node:test";
import { readFile } from "node:fs/promises";
import { assert, assertEquals } from "@std/assert";
import { readEndpointStates } from "@sabika/service/delivery";
import { createFixedPrice } from "@sabika/service/prices";
import { createReading, createTrading } from "@sabika/service/trading";
import { parse } from "yaml";
import { actsOn, clientIdOf } from "../../../test/support/acts.ts";
import { openTestOutbox, type TestOutbox } from "../../../test/support/test_outbox.ts";
import { type Behaviour, startTestReceiver } from "../../../test/support/webhook_receiver.ts";
import { readDatabaseFigures } from "./database_figures.ts";
import { SOURCES } from "../../../test/support/metric_sources.ts";
import { createMetrics } from "./metrics.ts";

const SECOND = 1_000;
const TIMEOUT_MS = 60_000;

/** What an endpoint does, what the attempt is kept as, and which alert fires. */
const CASES: readonly [does: string, Behaviour, failure: string, alert: string][] = [
  ["answers 410", { status: 410 }, "gone", "SabikaWebhookEndpointDisabled"],
  ["closes", (request) => request.socket.destroy(), "closed", "SabikaWebhookEndpointFailing"],
];

/** Enables the endpoint as the partner does by its signed request. */
function byPartner({ test, clock }: TestOutbox, partnerId: number) {
  const random = (length: number) => crypto.getRandomValues(new Uint8Array(length));
  const prices = createFixedPrice({ midTenThousandths: 1n });
  const trading = createTrading({ database: test.app, prices, random, now: () => clock.ms });
  const settings = {
    quoteMinMicrograms: 1n,
    quoteMaxMicrograms: 1n,
    openQuotesLimit: 1,
    spreadPpm: 0n,
    feePpm: 0n,
  };
  return trading.enableWebhook({
    partner: { partnerId, settlementIban: "", settings },
    request: {},
    parameters: "enable",
    idempotencyKey: "enable",
    receivedAtMs: clock.ms,
    nonce: { value: crypto.randomUUID(), timestampSeconds: Math.floor(clock.ms / SECOND) },
  });
}

describe("an endpoint in trouble", () => {
  let outbox: TestOutbox;
  let rules: { alert: string; expr: string; for?: string }[];

  before(async () => {
    outbox = await openTestOutbox();
    const file = new URL("../../../docs/observability/alerts.yaml", import.meta.url);
    const { groups } = parse(await readFile(file, "utf8"));
    rules = groups.flatMap((group: { rules: typeof rules }) => group.rules);
  });
  after(() => outbox.close());

  const metrics = createMetrics({
    ...SOURCES,
    fromDatabase: () => readDatabaseFigures(outbox.test.app, outbox.clock.ms),
  });

  /** The operator, and the client id to name the partner by. */
  async function operatorOf(partnerId: number) {
    const { database } = outbox.test;
    return { act: actsOn(database), clientId: await clientIdOf(database, partnerId) };
  }

  /** The alerts of endpoints that Prometheus would fire for a partner at this moment. */
  async function alertsOf(clientId: string): Promise<string[]> {
    const exposed = await metrics.text();
    return rules.filter(({ alert }) => alert.startsWith("SabikaWebhookEndpoint")).filter((rule) => {
      const [, name, least] = /^max by \(partner\) \((\w+)\) > (\d+)$/.exec(rule.expr)!;
      const value = new RegExp(`^${name}\\{partner="${clientId}"\\} (\\S+)$`, "m").exec(exposed);
      return rule.for === undefined && Number(value![1]) > Number(least);
    }).map(({ alert }) => alert);
  }

  for (const [does, behaviour, failure, alert] of CASES) {
    test(`that ${does}: state, attempts and alert say so in a minute, enable mends it`, async () => {
      const receiver = await startTestReceiver(
        await outbox.authority.issue({ ip: ["127.0.0.1"] }),
      );
      const { port } = receiver;
      try {
        const partnerId = await outbox.addPartner(`https://127.0.0.1:${port}/`);
        const { database, app } = outbox.test;
        const { act, clientId } = await operatorOf(partnerId);
        const state = async () =>
          (await readEndpointStates(app.sql, outbox.clock.ms, partnerId))[0]!;
        const reading = createReading({
          database: app,
          environment: "sandbox",
          now: () => outbox.clock.ms,
        });
        const lastFailure = async (id: string) => {
          const found = await reading.listAttempts({ partnerId, eventId: id.slice(4), limit: 1 });
          return found?.ok ? found.page.data[0]?.failure : "no such event";
        };
        const worker = outbox.worker({ timeoutMs: TIMEOUT_MS });
        await outbox.writePings(partnerId, 1);
        await worker.runDue();
        assertEquals([(await state()).status, await alertsOf(clientId)], ["healthy", []]);

        receiver.behave = () => behaviour;
        const startedMs = outbox.clock.ms;
        const [id] = await outbox.writePings(partnerId, 1);
        for (const pause of [0, 10, 20, 29]) {
          outbox.clock.ms += pause * SECOND;
          await worker.runDue();
        }
        const found = await state();
        const isGone = alert === "SabikaWebhookEndpointDisabled";
        assertEquals([found.status, found.failure, found.disabledBy], [
          isGone ? "disabled" : "failing",
          failure,
          isGone ? "endpoint" : null,
        ]);
        assertEquals(found.sinceMs, startedMs);
        assertEquals([found.pendingEvents, found.oldestPending?.id as string], [1, id!]);
        assertEquals(await lastFailure(id!), failure);
        assertEquals(await alertsOf(clientId), [alert]);

        receiver.behave = () => ({ status: 204 });
        const enabled = isGone
          ? await byPartner(outbox, partnerId)
          : await act("webhook.enable", { partner: clientId });
        assert(enabled.ok);
        await worker.runDue();
        const mended = await state();
        assertEquals([mended.status, mended.pendingEvents, mended.lagSeconds], ["healthy", 0, 0]);
        assertEquals([await lastFailure(id!), await alertsOf(clientId)], [null, []]);
        // Others of this file are over.
        await database.sql`update partners set webhook_url = null where partner_id = ${partnerId}`;
      } finally {
        await receiver.close();
      }
    });
  }

  test("an event that a living endpoint refuses waits, and the endpoint is healthy", async () => {
    const receiver = await startTestReceiver(await outbox.authority.issue({ ip: ["127.0.0.1"] }));
    const partnerId = await outbox.addPartner(`https://127.0.0.1:${receiver.port}/`, 4);
    const written = await outbox.writePings(partnerId, 8);
    receiver.behave = ({ headers }) => ({
      status: headers["webhook-id"] === written[2] ? 422 : 204,
    });
    await outbox.worker({ timeoutMs: TIMEOUT_MS }).runDue();
    const [state] = await readEndpointStates(outbox.test.app.sql, outbox.clock.ms, partnerId);
    assertEquals([state!.status, state!.pendingEvents, state!.oldestPending?.sequence], [
      ...["healthy", 1, 3],
    ]);
    assert(state!.lagSeconds > 0);
    await receiver.close();
  });
});
