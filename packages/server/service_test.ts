import { after, test } from "node:test";
import { assertEquals, assertRejects } from "@std/assert";
import { uuidV7 } from "@sabika/protocol";
import { setPartnerStatus } from "@sabika/office/partners";
import { openRaw, sendRaw } from "../../test/support/raw_https.ts";
import { codeOf } from "../../test/support/answers.ts";
import { HEALTH, read, signed, tokenRequest, write } from "../../test/support/service_requests.ts";
import { createTestAuthority } from "../../test/support/test_certificates.ts";
import { startTestReceiver } from "../../test/support/webhook_receiver.ts";
import { startTestService } from "../../test/support/test_service.ts";
import { random } from "../../test/support/random.ts";
import { until } from "../../test/support/until.ts";
import type { Service } from "./service.ts";
import type { ServiceSettings } from "./settings.ts";

const service = await startTestService();
const [bank] = service.partners;

const started: Service[] = [];
after(async () => {
  for (const instance of started) await instance.stop();
  await service.close();
});

/** Creates one more instance over the same database. */
function instance(more: Partial<ServiceSettings> = {}, aheadMs = 0): Service {
  const settings = { clockOffsetLimitMs: undefined, drainSeconds: 0, ...more };
  const made = service.createInstance(() => {}, settings, () => Date.now() + aheadMs);
  started.push(made);
  return made;
}

/** Starts one more instance; `caller` is the partner that calls it. */
async function startInstance(more: Partial<ServiceSettings> = {}, aheadMs = 0, partner = bank) {
  const other = instance(more, aheadMs);
  const { port } = await other.start();
  return { other, caller: { ...service.caller(partner), port: port! } };
}

test("an instance whose clock is off by more than a second refuses requests and reports it (F18)", async () => {
  for (const aheadMs of [120_000, -120_000, 1_500]) {
    const { other, caller } = await startInstance({}, aheadMs);
    const refused = await sendRaw(caller, tokenRequest(bank));
    assertEquals(refused.status, 503, `${aheadMs} ${refused.body}`);
    const health = await sendRaw(caller, HEALTH);
    assertEquals([health.status, health.body], [503, '{"status":"unavailable"}']);
    await other.stop();
  }
  const good = await startInstance({}, 300);
  const answer = await sendRaw(good.caller, tokenRequest(bank));
  assertEquals(answer.status, 200, answer.body);
  await good.other.stop();
});

test("what the operator changes reaches every instance within a second (F58)", async () => {
  const partner = await service.admit("bank-seen");
  const { other, caller } = await startInstance({}, 0, partner);
  const connection = await openRaw(caller);
  assertEquals((await connection.send(HEALTH)).status, 200);
  const changes: [string, () => Promise<unknown>][] = [
    ["partner_suspended", () => setPartnerStatus(service.admin, "bank-seen", "suspended")],
    ["ok", () => setPartnerStatus(service.admin, "bank-seen", "active")],
    ["client_certificate_unknown", () => service.revokeCertificate(partner)],
  ];
  for (const [code, change] of changes) {
    await change();
    // A second by the decision; a machine that is busy needs more.
    await until(async () => codeOf(await connection.send(HEALTH)) === code, undefined, code);
  }
  connection.close();
  await other.stop();
});

test("health is 503 as long as orders fail, though quotes work (F09)", async () => {
  const { other, caller } = await startInstance();
  const { sql } = service.test.database;
  const token = await service.token(bank);
  await sendRaw(caller, write("/sandbox/fund", token, '{"amount_sar":100000}'));
  const order = async () => {
    const quote = await sendRaw(
      caller,
      write("/v1/quotes", token, '{"side":"buy","gold_grams":0.1}'),
    );
    assertEquals(quote.status, 201);
    const body = JSON.stringify({ quote_id: JSON.parse(quote.body).id });
    return codeOf(await sendRaw(caller, await signed(bank, "/v1/orders", token, body)));
  };
  const health = async () => (await sendRaw(caller, HEALTH)).status;
  assertEquals([await order(), await health()], ["ok", 200]);
  await sql`create function disk_full() returns trigger language plpgsql as $$ begin
    raise exception 'could not extend file' using errcode = '53100'; end $$`;
  await sql`create trigger disk_full before insert on orders execute function disk_full()`;
  for (let n = 0; n < 5; n++) {
    assertEquals([await order(), await health()], ["service_unavailable", 503]);
    await sendRaw(caller, write("/sandbox/fund", token, '{"amount_sar":1}'));
    assertEquals(await health(), 503);
  }
  await sql`drop function disk_full() cascade`;
  assertEquals([await order(), await health()], ["ok", 503], "most of the last orders failed");
  await other.stop();
});

test("a stopping instance finishes requests in flight and closes its connections (F21)", async () => {
  const { other, caller } = await startInstance({ drainSeconds: 0.3 });
  const [idle, busy] = [await openRaw(caller), await openRaw(caller)];
  const token = await service.token(bank);
  assertEquals(
    (await busy.send(read("/v1/balances", token))).headers.get("connection"),
    "keep-alive",
  );
  const stopped = other.stop();
  // While it drains it still takes requests, each the last of its connection.
  const last = await busy.send(write("/sandbox/fund", token, '{"amount_sar":1}'));
  assertEquals([last.status, last.headers.get("connection")], [201, "close"]);
  const fresh = await sendRaw(caller, read("/v1/balances", token));
  assertEquals([fresh.status, fresh.headers.get("connection")], [200, "close"]);
  await stopped;
  await assertRejects(() => openRaw(caller));
  await assertRejects(() => idle.send(read("/v1/balances", token)));
  busy.close();
});

test("a port that is in use is reported, and nothing stays open", async () => {
  const { other, caller: { port } } = await startInstance();
  const second = instance({ listen: { kind: "tls", host: "127.0.0.1", port, ...service.tls } });
  const error = await assertRejects(() => second.start(), Error);
  assertEquals((error as { code?: string }).code, "EADDRINUSE");
  await other.stop();
});

test("an instance that listens nowhere delivers the webhooks", async () => {
  const authority = await createTestAuthority();
  const receiver = await startTestReceiver(await authority.issue({ ip: ["127.0.0.1"] }));
  const arrived = new Promise<void>((resolve) => {
    receiver.behave = () => (resolve(), { status: 204 });
  });
  const { partnerId } = bank;
  const { sql } = service.test.database;
  await sql`update partners set webhook_url = ${`https://127.0.0.1:${receiver.port}/`}
    where partner_id = ${partnerId}`;
  const other = instance({
    baseUrl: undefined,
    listen: { kind: "nowhere" },
    deliverWebhooks: true,
    webhookAllowLoopback: true,
    webhookCaPem: authority.certificatePem,
  });
  const { baseUrl, port } = await other.start();
  assertEquals([baseUrl, port], [undefined, undefined]);
  await sql`select write_event(${partnerId}::integer, ${uuidV7(Date.now(), random)}::uuid, 'ping',
    null, date_trunc('milliseconds', clock_timestamp()), '{}')`;
  await arrived;
  await other.stop();
  await receiver.close();
});

test("the base URL defaults to the address that is listened on", async () => {
  const other = instance({ baseUrl: undefined });
  const { baseUrl, port } = await other.start();
  assertEquals(baseUrl, `https://127.0.0.1:${port}`);
  await other.stop();
});
