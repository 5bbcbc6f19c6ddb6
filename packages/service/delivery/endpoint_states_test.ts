import { after, test } from "node:test";
import { assertEquals } from "@std/assert";
import { openTestOutbox } from "../../../test/support/test_outbox.ts";
import { readEndpointStates } from "./endpoint_states.ts";

const SECOND = 1_000;

const outbox = await openTestOutbox();
after(() => outbox.close());

test("the state of an endpoint says since when it fails, why, and what waits for it", async () => {
  const { sql } = outbox.test.database;
  const receiver = await outbox.receiver();
  const url = `https://127.0.0.1:${receiver.port}/`;
  const [partnerId, other] = [await outbox.addPartner(url, 2), await outbox.addPartner(url)];
  await outbox.addPartner(null);
  const read = async (nowMs = outbox.clock.ms) => {
    const [state] = await readEndpointStates(sql, nowMs, partnerId);
    const { clientId: _, ...rest } = state!;
    return rest;
  };
  const all = await readEndpointStates(sql, outbox.clock.ms);
  assertEquals(all.map((state) => state.partnerId), [partnerId, other]);
  const healthy = {
    partnerId,
    inFlight: 2,
    status: "healthy" as const,
    sinceMs: null,
    disabledBy: null,
    failure: null,
    pendingEvents: 0,
    oldestPending: null,
    lagSeconds: 0,
  };
  assertEquals(await read(), healthy);

  const ids = await outbox.writePings(partnerId, 3);
  const created = await sql<{ ms: number }[]>`
    select (extract(epoch from created_at) * 1000)::float8 as ms from events
    where partner_id = ${partnerId} order by sequence`;
  const oldest = (sequence: number) => {
    const { ms } = created[sequence - 1]!;
    return {
      oldestPending: { id: ids[sequence - 1]!, sequence, timestampMs: ms },
      lagSeconds: Math.round(outbox.clock.ms - ms) / SECOND,
    };
  };
  assertEquals(await read(), { ...healthy, pendingEvents: 3, ...oldest(1) });
  assertEquals((await read(created[0]!.ms - SECOND)).lagSeconds, 0, "clocks differ");

  const sinceMs = outbox.clock.ms;
  receiver.behave = () => ({ status: 503 });
  await outbox.worker().runDue();
  const failing = { ...healthy, status: "failing" as const, sinceMs, failure: "busy" as const };
  assertEquals(await read(), { ...failing, pendingEvents: 3, ...oldest(1) });

  // The first is parked, and the second delivered.
  await sql`update webhook_lanes set next_sequence = 3 where partner_id = ${partnerId}`;
  assertEquals(await read(), { ...failing, pendingEvents: 2, ...oldest(1) });
  const disabledMs = sinceMs + SECOND;
  for (
    const [reason, disabledBy] of [["HTTP 410", "endpoint"], ["operator", "operator"]] as const
  ) {
    await sql`update webhook_lanes set disabled_reason = ${reason},
        disabled_at = ${new Date(disabledMs).toISOString()} where partner_id = ${partnerId}`;
    assertEquals(await read(), {
      ...failing,
      status: "disabled",
      sinceMs: disabledMs,
      disabledBy,
      pendingEvents: 2,
      ...oldest(1),
    });
  }
});
