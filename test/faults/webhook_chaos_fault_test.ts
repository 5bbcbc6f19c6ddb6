/** F76, I11: workers, the database and receivers are killed under a flow of events. */
import { after, before, test } from "node:test";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Webhook } from "standardwebhooks";
import { assertEquals } from "@std/assert";
import { sized } from "../support/sized.ts";
import { admitWithGold } from "../support/service_partner.ts";
import { createTestAuthority, type TestCertificate } from "../support/test_certificates.ts";
import {
  type Received,
  startTestReceiver,
  type TestReceiver,
} from "../support/webhook_receiver.ts";
import { crash } from "./postgresql_processes.ts";
import { seeded } from "./seeded.ts";
import { until } from "../support/until.ts";
import { pause } from "./waiting.ts";
import { openWorld, type World } from "./world.ts";

/** `EACH`: events of a partner before each kill. */
const PARTNERS = sized(6, 50);
const KILLS = sized(6, 20);
const EACH = sized(50, 100);
const PATIENCE_MS = sized(120_000, 1_200_000);
const EVENTS = PARTNERS * KILLS * EACH;
const RECEIVERS = 3;
/** Shorter than the second retry, as a restart is. */
const AWAY_MS = 1_000;

let world: World;
let folder: string;
let certificate: TestCertificate;
const receivers: TestReceiver[] = [];

/** What arrived of a partner: the id of each number; `wrong` has all that is not as it should be. */
interface Arrivals {
  readonly secret: Webhook;
  readonly ids: Map<number, string>;
  readonly wrong: string[];
}
const arrivals = new Map<string, Arrivals>();
const arrived = () => [...arrivals.values()].reduce((sum, { ids }) => sum + ids.size, 0);

function take(received: Received): { status: number } {
  const { secret, ids, wrong } = arrivals.get(received.path.slice(1))!;
  try {
    const event = secret.verify(received.body, received.headers) as {
      id: string;
      sequence: number;
    };
    const { id, sequence } = event;
    if ((ids.get(sequence) ?? id) !== id) wrong.push(`${sequence} under two ids`);
    if (received.headers["webhook-id"] !== id) wrong.push(`${sequence} with another webhook-id`);
    ids.set(sequence, id);
  } catch (error) {
    wrong.push(String(error));
  }
  return { status: 204 };
}

async function openReceiver(number: number, port?: number): Promise<void> {
  const receiver = await startTestReceiver(certificate, port);
  receiver.behave = (received) => {
    // What arrived is kept by number alone.
    receiver.received.length = 0;
    return take(received);
  };
  receivers[number] = receiver;
}

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "sabika-chaos-"));
  const authority = await createTestAuthority();
  const caFile = join(folder, "ca.pem");
  await writeFile(caFile, authority.certificatePem);
  certificate = await authority.issue({ ip: ["127.0.0.1"] });
  for (let number = 0; number < RECEIVERS; number++) await openReceiver(number);
  world = await openWorld({
    environment: { SABIKA_WEBHOOK_CA_FILE: caFile, SABIKA_WEBHOOK_ALLOW_LOOPBACK: "true" },
  });
});
after(async () => {
  await world?.close();
  for (const receiver of receivers) await receiver.close();
  await rm(folder, { recursive: true, force: true });
});

/** Writes this many events for each partner, in one transaction. */
async function writeEvents(each: number): Promise<void> {
  await world.database.sql`
    with grown as (
      update accounts set last_event = last_event + ${each} returning partner_id, last_event
    )
    insert into events (partner_id, sequence, event_id, created_at, type, object)
    select partner_id, last_event - n, gen_random_uuid(), clock_timestamp(), 'ping', '{}'
    from grown, generate_series(${each} - 1, 0, -1) as n`;
}

const killWorker = (number: number) => async () => {
  const worker = world.instances[number]!;
  await worker.kill();
  await worker.start();
};
const killReceiver = (number: number) => async () => {
  const { port, close } = receivers[number]!;
  await close();
  await pause(AWAY_MS);
  await openReceiver(number, port);
};
async function killDatabase(): Promise<void> {
  await crash(world.postgresql);
  await world.postgresql.restart();
}

test("no kill of a worker, the database or a receiver loses an event or leaves a gap (F76)", async (t) => {
  const { sql } = world.database;
  for (let n = 0; n < PARTNERS; n++) {
    const { clientId, partnerId, kit } = await admitWithGold(world.admin, `chaos-${n}`, 0n);
    arrivals.set(clientId, { secret: new Webhook(kit.webhookSecret), ids: new Map(), wrong: [] });
    const url = `https://127.0.0.1:${receivers[n % RECEIVERS]!.port}/${clientId}`;
    await sql`update partners set webhook_url = ${url} where partner_id = ${partnerId}`;
  }
  const victims = [
    ...[killWorker(0), killDatabase, killReceiver(0)],
    ...[killWorker(1), killReceiver(1), killReceiver(2)],
  ];
  const { fraction } = seeded("webhook chaos");
  for (let kill = 0; kill < KILLS; kill++) {
    const sofar = arrived();
    await writeEvents(EACH);
    const some = sofar + Math.ceil(fraction() * 0.5 * EACH * PARTNERS);
    await until(() => arrived() >= some, PATIENCE_MS, "deliveries are under way");
    await victims[kill % victims.length]!();
  }
  const ms = await until(() => arrived() === EVENTS, PATIENCE_MS, "all are delivered");
  t.diagnostic(`${EVENTS} events to ${PARTNERS} partners, ${KILLS} kills, the rest in ${ms} ms`);

  const rows = await sql<{ client: string; sequence: number; id: string }[]>`
    select client_id as client, sequence::float8 as sequence, 'evt_' || event_id as id
    from events join partners using (partner_id)`;
  assertEquals(rows.length, EVENTS);
  assertEquals(
    rows.filter(({ client, sequence, id }) => arrivals.get(client)!.ids.get(sequence) !== id),
    [],
  );
  for (const { ids, wrong } of arrivals.values()) {
    assertEquals(wrong, []);
    assertEquals(Math.max(...ids.keys()), ids.size, "no gap");
  }
});
