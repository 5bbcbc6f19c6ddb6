import { after, describe, test } from "node:test";
import { once } from "node:events";
import { assert, assertEquals } from "@std/assert";
import { formatWebhookSecret, verifyWebhook } from "@sabika/protocol";
import { random } from "../../../test/support/random.ts";
import { openTestOutbox } from "../../../test/support/test_outbox.ts";
import { until } from "../../../test/support/until.ts";

const outbox = await openTestOutbox();
after(() => outbox.close());

describe("the webhook worker", () => {
  async function open() {
    const receiver = await outbox.receiver();
    const url = `https://127.0.0.1:${receiver.port}/hook`;
    const partnerId = await outbox.addPartner(url);
    const closed: Promise<unknown>[] = [];
    receiver.behave = () => ({ socket }, response) => {
      closed.push(once(socket, "close"));
      response.writeHead(204).end();
    };
    /** The receiver itself closes connections after five seconds. */
    const isClosed = async () => {
      const startMs = performance.now();
      await Promise.all(closed);
      assert(performance.now() - startMs < 4_000);
    };
    return { receiver, url, partnerId, closed, isClosed };
  }

  const attemptsAt = (partnerId: number) =>
    outbox.test.database.sql<{ sequence: number; status: number }[]>`
      select sequence::float8 as sequence, status from webhook_attempts
      where partner_id = ${partnerId} order by attempted_at`.then((rows) =>
      rows.map((row) => ({ ...row }))
    );

  test("sends one event with other secrets, over its own connection, outside of the lane", async () => {
    const { receiver, url, partnerId, isClosed } = await open();
    const events = await outbox.writePings(partnerId, 3);
    const secret = formatWebhookSecret(random(32));
    const worker = outbox.worker();
    const before = await outbox.lane(partnerId);
    await worker.sendWith({ partnerId, sequence: 2n, url }, [secret]);
    await isClosed();
    const [received] = receiver.received;
    assertEquals([receiver.received.length, received!.headers["webhook-id"]], [1, events[1]!]);
    const { headers, body } = received!;
    const nowSeconds = Math.floor(outbox.clock.ms / 1_000);
    const webhook = { secrets: [secret], headers: new Headers(headers), body, nowSeconds };
    assert((await verifyWebhook(webhook)).ok);
    assertEquals(await attemptsAt(partnerId), [{ sequence: 2, status: 204 }]);
    assertEquals(await outbox.lane(partnerId), before);
    await worker.sendWith({ partnerId, sequence: 4n, url }, [secret]);
    assertEquals(receiver.received.length, 1, "no such event");
  });

  test("connects to no loopback address unless that is allowed", async () => {
    const { receiver, partnerId } = await open();
    await outbox.writePings(partnerId, 1);
    await outbox.worker({ endpointPolicy: {} }).runDue();
    assertEquals(receiver.received, []);
    assert(outbox.logged.at(-1)!.includes("address_not_public"), outbox.logged.at(-1));
    // Nor does it need a log.
    outbox.clock.ms += 1_000;
    await outbox.worker({ endpointPolicy: undefined, log: undefined }).runDue();
    assertEquals((await outbox.lane(partnerId)).attempts, 2);
  });

  test("delivers when it is woken, and closes its connections when it stops", async () => {
    const { partnerId, closed, isClosed } = await open();
    const worker = outbox.worker({ pollMs: 600_000, isBusy: () => true });
    worker.start();
    await outbox.writePings(partnerId, 1);
    worker.wake();
    await until(() => closed.length === 1);
    await worker.stop();
    await isClosed();
    assertEquals((await outbox.lane(partnerId)).next, 2);
  });
});
