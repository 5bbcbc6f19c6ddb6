import { after, describe, test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import type { ServerResponse } from "node:http";
import { openTestOutbox } from "../../../test/support/test_outbox.ts";

const SECOND = 1_000;
const IN_FLIGHT = 8;

const outbox = await openTestOutbox();
after(() => outbox.close());

describe("deliveries in flight (Decision D54)", () => {
  async function open(inFlight = IN_FLIGHT) {
    const receiver = await outbox.receiver();
    const url = `https://127.0.0.1:${receiver.port}/`;
    const partnerId = await outbox.addPartner(url, inFlight);
    const sequences = () => receiver.received.map(({ body }) => JSON.parse(body).sequence);
    return { receiver, partnerId, sequences, worker: outbox.worker() };
  }

  for (const inFlight of [1, IN_FLIGHT]) {
    test(`at most ${inFlight} deliveries are in flight at once, and each event arrives once`, async () => {
      const { receiver, partnerId, sequences, worker } = await open(inFlight);
      const held: ServerResponse[] = [];
      let [most, answered] = [0, 0];
      receiver.behave = () => (_request, response) => {
        most = Math.max(most, held.push(response));
        // Each answer allows one more request in flight. The pause below would let a request beyond the
        // limit arrive.
        if (held.length < Math.min(inFlight, 1 + answered, 60 - answered)) return;
        setTimeout(() => {
          answered += held.length;
          for (const response of held.splice(0)) response.writeHead(204).end();
        }, 5);
      };
      await outbox.writePings(partnerId, 60);
      await worker.runDue();
      assertEquals(
        sequences().toSorted((a, b) => a - b),
        Array.from({ length: 60 }, (_, n) => n + 1),
      );
      assertEquals(most, inFlight);
      assert(receiver.connections <= inFlight, `${receiver.connections} connections`);
      assertEquals((await outbox.lane(partnerId)).next, 61);
    });
  }

  test("an endpoint that fails one in fifty gets all others in the same visit", async () => {
    const { receiver, partnerId, sequences, worker } = await open();
    await outbox.writePings(partnerId, 200);
    const isWell = ({ body }: { body: string }) => JSON.parse(body).sequence % 50 !== 30;
    receiver.behave = (received) => ({ status: isWell(received) ? 204 : 500 });
    await worker.runDue();
    assertEquals(sequences().length, 200, "each was tried once");
    assertEquals((await outbox.lane(partnerId)).next, 201);
    const failed = [30, 80, 130, 180];
    const deliveries = await outbox.deliveries(partnerId);
    assertEquals(deliveries.map(({ sequence }) => sequence), failed);
    receiver.behave = () => ({ status: 204 });
    outbox.clock.ms += SECOND;
    await worker.runDue();
    assertEquals(sequences().slice(200).toSorted((a, b) => a - b), failed);
  });

  test("an endpoint that is down gets one event at a time, and all events when it is back", async () => {
    const { receiver, partnerId, sequences, worker } = await open();
    await outbox.writePings(partnerId, 30);
    receiver.behave = () => (request) => request.socket.destroy();
    await worker.runDue();
    outbox.clock.ms += 6 * SECOND;
    const first = receiver.received.length;
    await worker.runDue();
    assert(receiver.received.length - first <= 2, "one event, and once more over a new connection");
    assertEquals((await outbox.lane(partnerId)).next, 1);
    receiver.received.length = 0;
    receiver.behave = () => ({ status: 204 });
    outbox.clock.ms += 400 * SECOND;
    await worker.runDue();
    assertEquals(
      sequences().toSorted((a, b) => a - b),
      Array.from({ length: 30 }, (_, n) => n + 1),
    );
    assertEquals((await outbox.lane(partnerId)).next, 31);
  });

  test("503 with Retry-After pauses the endpoint, even if it accepted other events", async () => {
    const { receiver, partnerId, worker } = await open();
    const written = await outbox.writePings(partnerId, 40);
    receiver.behave = ({ headers }) =>
      headers["webhook-id"] === written[19]
        ? { status: 503, headers: { "retry-after": "60" } }
        : { status: 204 };
    await worker.runDue();
    const lane = await outbox.lane(partnerId);
    assertEquals([lane.next, lane.attempts], [20, 1]);
    assertEquals(lane.nextAttemptMs, outbox.clock.ms + 60 * SECOND);
  });
});
