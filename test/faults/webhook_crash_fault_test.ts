/** F76, I11: the process that delivers dies between sending and writing down that it has sent. */
import { after, before, test } from "node:test";
import { join } from "node:path";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { assert, assertEquals } from "@std/assert";
import { encodeUtf8, verifyWebhook } from "@sabika/protocol";
import { createTestAuthority } from "../support/test_certificates.ts";
import {
  type Received,
  startTestReceiver,
  type TestReceiver,
} from "../support/webhook_receiver.ts";
import { idOf } from "./caller.ts";
import { findBreaches } from "./invariants.ts";
import { crash } from "./postgresql_processes.ts";
import { until } from "../support/until.ts";
import { openWorld, type World } from "./world.ts";

let world: World;
let receiver: TestReceiver;
let folder: string;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "sabika-fault-"));
  const authority = await createTestAuthority();
  const caFile = join(folder, "ca.pem");
  await writeFile(caFile, authority.certificatePem);
  receiver = await startTestReceiver(await authority.issue({ ip: ["127.0.0.1"] }));
  world = await openWorld({
    environment: { SABIKA_WEBHOOK_CA_FILE: caFile, SABIKA_WEBHOOK_ALLOW_LOOPBACK: "true" },
  });
});
after(async () => {
  await world?.close();
  await receiver?.close();
  await rm(folder, { recursive: true, force: true });
});

const sequenceOf = ({ body }: Received): number => JSON.parse(body).sequence;
const idOfEvent = ({ headers }: Received): string => headers["webhook-id"]!;

test("what was sent and not written down is sent again under its id, and nothing is lost (F76)", async (t) => {
  const bank = await world.admit({
    cashRiyals: 1_000_000,
    webhookUrl: `https://127.0.0.1:${receiver.port}/hook`,
  });
  await world.database.sql`
    update webhook_lanes set in_flight = 1 where partner_id = ${bank.partnerId}`;
  // The receiver has the fifth event and answers only once the sender is dead.
  let isHeld = false;
  let isSenderGone = false;
  receiver.behave = (received) => {
    if (sequenceOf(received) !== 5 || isHeld) return { status: 204 };
    isHeld = true;
    return (_request, response) => response.on("close", () => isSenderGone = true);
  };
  const order = async () => {
    const quoted = await bank.write("quote", '{"side":"buy","gold_grams":0.1}', { instance: 1 });
    const body = `{"quote_id":"${idOf(quoted)}"}`;
    assertEquals((await bank.write("order", body, { instance: 1 })).status, 201);
  };
  for (let n = 0; n < 8; n++) await order();
  await until(() => isHeld, 15_000, "the fifth event is under way");
  for (const instance of world.instances) {
    await instance.kill();
    if (
      await until(() => isSenderGone, 1_000, "the connection ends").then(() => true, () => false)
    ) {
      break;
    }
  }
  assert(isSenderGone);
  await Promise.all(world.instances.map((one) => one.isRunning ? undefined : one.start()));
  bank.close();
  const { sql } = world.database;
  for (let n = 0; n < 3; n++) await order();

  const [row] = await sql<{ last: bigint }[]>`
    select last_event as last from accounts where partner_id = ${bank.partnerId}`;
  const last = Number(row!.last);
  const ms = await until(
    () => new Set(receiver.received.map(sequenceOf)).size === last,
    30_000,
    "all are delivered",
  );
  t.diagnostic(`${receiver.received.length} deliveries of ${last} events, ${ms} ms to the last`);

  const events = await sql<{ id: string; sequence: bigint }[]>`
    select 'evt_' || event_id as id, sequence from events where partner_id = ${bank.partnerId}
    order by sequence`;
  const delivered = new Map<number, string>();
  let highest = 0;
  for (const received of receiver.received) {
    const sequence = sequenceOf(received);
    // In sequence; again only what is not written down yet.
    assert(sequence === highest + 1 || sequence <= highest, `${sequence} after ${highest}`);
    highest = Math.max(highest, sequence);
    const id = idOfEvent(received);
    assertEquals(delivered.get(sequence) ?? id, id, `event ${sequence} under two ids`);
    delivered.set(sequence, id);
    const verified = await verifyWebhook({
      secrets: [bank.partner.kit.webhookSecret],
      headers: new Headers(received.headers),
      body: encodeUtf8(received.body),
      nowSeconds: Date.now() / 1000,
    });
    assert(verified.ok, `event ${sequence}: ${verified.ok || verified.reason}`);
  }
  assertEquals(
    [...delivered].sort(([a], [b]) => a - b),
    events.map(({ id, sequence }) => [Number(sequence), id]),
  );
  assertEquals(receiver.received.filter((one) => sequenceOf(one) === 5).length >= 2, true);
});

test("I11 a crash of the database under deliveries: every event arrives, each under one id", async () => {
  receiver.received.length = 0;
  receiver.behave = () => ({ status: 204 });
  const bank = await world.admit({
    cashRiyals: 1_000_000,
    webhookUrl: `https://127.0.0.1:${receiver.port}/hook`,
  });
  for (let round = 0; round < 3; round++) {
    for (let n = 0; n < 10; n++) await bank.write("fund", '{"amount_sar":1}', { instance: n % 2 });
    await crash(world.postgresql);
    await world.postgresql.restart();
    await until(
      async () => (await bank.write("fund", '{"amount_sar":1}')).outcome === "ok",
      30_000,
      "it serves again",
    );
  }
  const { sql } = world.database;
  const events = await sql<{ id: string }[]>`
    select 'evt_' || event_id as id from events where partner_id = ${bank.partnerId}`;
  await until(
    () => new Set(receiver.received.map(idOfEvent)).size >= events.length,
    45_000,
    "all are delivered",
  );
  assertEquals(
    [...new Set(receiver.received.map(idOfEvent))].sort(),
    events.map(({ id }) => id).sort(),
  );
  assertEquals(await findBreaches(world.database), []);
});
