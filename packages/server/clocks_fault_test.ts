import { after, test } from "node:test";
import type { ServerResponse } from "node:http";
import { assert, assertEquals } from "@std/assert";
import { reconcile } from "@sabika/service/ledger";
import { codeOf, objectOf } from "../../test/support/answers.ts";
import { byForce } from "../../test/support/by_force.ts";
import { type RawRequest, sendRaw } from "../../test/support/raw_https.ts";
import { read, signed, tokenRequest, write } from "../../test/support/service_requests.ts";
import { countRows, startTestService } from "../../test/support/test_service.ts";
import { createTestAuthority } from "../../test/support/test_certificates.ts";
import { startTestReceiver } from "../../test/support/webhook_receiver.ts";
import { until } from "../../test/support/until.ts";

// Two instances over one PostgreSQL, the second with another clock: what expires does so by the database's
// clock alone (Decision D12).

const service = await startTestService();
const [bank] = service.partners;
const clock = { aheadMs: 0 };
const logged: string[] = [];
const astray = service.createInstance(
  (_level, event) => void logged.push(event),
  { clockOffsetLimitMs: undefined },
  () => Date.now() + clock.aheadMs,
);
const { port } = await astray.start();
after(async () => {
  await astray.stop();
  await service.close();
});

const right = service.caller(bank);
const wrong = { ...right, port: port! };
const token = await service.token(bank);
const BUY = '{"side":"buy","gold_grams":1}';
await sendRaw(right, write("/sandbox/fund", token, '{"amount_sar":100000}'));

async function ask(caller: typeof right, request: RawRequest | Promise<RawRequest>) {
  const answer = await sendRaw(caller, await request);
  return [answer.status, codeOf(answer)];
}

/** Makes a quote that expires `inMs` after now by the database's clock, or before it if negative. */
async function quoteThatEnds(inMs: number): Promise<string> {
  const id = objectOf(await sendRaw(right, write("/v1/quotes", token, BUY))).get("id") as string;
  await byForce(
    service.test.database,
    `update quotes set expires_at = clock_timestamp() + interval '${inMs} milliseconds'
     where quote_id = '${id.slice(3)}'`,
  );
  return id;
}

const order = (quoteId: string) => signed(bank, "/v1/orders", token, `{"quote_id":"${quoteId}"}`);

/** Asserts that the instance with the wrong clock refuses all these requests and leaves no row. */
async function refusesAll(requests: readonly (() => RawRequest | Promise<RawRequest>)[]) {
  const before = await countRows(service);
  for (const request of requests) assertEquals((await ask(wrong, request()))[0], 503);
  assertEquals(await countRows(service), before);
}

test("an instance 120 s off expires and prolongs nothing, and the other is not affected (F18)", async () => {
  for (const aheadMs of [120_000, -120_000]) {
    const [open, over] = [await quoteThatEnds(40_000), await quoteThatEnds(-1_000)];
    const nonce = crypto.randomUUID();
    const probe = () => signed(bank, "/v1/signed-probe", token, "x", { nonce });
    clock.aheadMs = aheadMs;
    await refusesAll([
      () => order(open),
      () => order(over),
      probe,
      () => tokenRequest(bank),
      () => write("/v1/quotes", token, BUY),
      () => read("/v1/balances", token),
    ]);
    assertEquals(await ask(right, order(open)), [201, "ok"], "to the wrong clock it was over");
    assertEquals(await ask(right, order(over)), [409, "quote_expired"], "or was still open");
    // What the wrong instance refused, it did not spend.
    assertEquals(await ask(right, probe()), [200, "ok"]);
    clock.aheadMs = 0;
    assertEquals(await ask(wrong, probe()), [401, "nonce_reused"]);
  }
});

test("instances within the second that is allowed agree on what is over, and on nonces (F18)", async () => {
  for (const aheadMs of [700, -700]) {
    clock.aheadMs = aheadMs;
    const nonce = crypto.randomUUID();
    const probe = () => signed(bank, "/v1/signed-probe", token, "x", { nonce });
    const [first, second] = aheadMs > 0 ? [right, wrong] : [wrong, right];
    assertEquals(await ask(first, probe()), [200, "ok"]);
    assertEquals(await ask(second, probe()), [401, "nonce_reused"]);
    const over = await quoteThatEnds(-1_000);
    const open = await quoteThatEnds(10_000);
    assertEquals(await ask(wrong, order(over)), [409, "quote_expired"]);
    assertEquals(await ask(wrong, order(open)), [201, "ok"]);
  }
  clock.aheadMs = 0;
});

test("an instance set back ten minutes revives no token and no quote, and frees no nonce (F19)", async () => {
  // Issued by a clock that is behind by nearly a token's lifetime, so it expires within 2 s.
  for (const table of ["certificates", "client_secrets", "token_keys"]) {
    const earlier = `valid_from = valid_from - interval '1 hour'`;
    await byForce(service.test.database, `update ${table} set ${earlier}`);
  }
  const old = service.createInstance(() => {}, {}, () => Date.now() - 598_500);
  const oldCaller = { ...right, port: (await old.start()).port! };
  const ending = objectOf(await sendRaw(oldCaller, tokenRequest(bank))).get("access_token");
  await old.stop();
  const balances = () => read("/v1/balances", String(ending));
  await until(async () => (await ask(right, balances()))[1] === "token_expired");
  assertEquals(await ask(wrong, balances()), [401, "token_expired"]);
  const over = await quoteThatEnds(-1_000);
  assertEquals(await ask(wrong, order(over)), [409, "quote_expired"]);
  const nonce = crypto.randomUUID();
  const probe = () => signed(bank, "/v1/signed-probe", token, "x", { nonce });
  assertEquals(await ask(wrong, probe()), [200, "ok"]);

  logged.length = 0;
  clock.aheadMs = -600_000;
  // By the instance's own time all three are valid again.
  const timestampSeconds = Math.floor(Date.now() / 1_000) - 600;
  const reuse = () => signed(bank, "/v1/signed-probe", token, "x", { nonce, timestampSeconds });
  const revived = [balances, () => order(over), probe, reuse];
  await refusesAll(revived);
  // They stay refused once the clock has been measured against the database's.
  await until(() => logged.includes("clock_off"));
  await refusesAll(revived);
  clock.aheadMs = 0;
  await until(() => logged.includes("clock_good_again"));
  assertEquals(await ask(wrong, balances()), [401, "token_expired"]);
  assertEquals(await ask(wrong, order(over)), [409, "quote_expired"]);
  assertEquals(await ask(wrong, probe()), [401, "nonce_reused"]);
  assertEquals(await ask(wrong, order(await quoteThatEnds(10_000))), [201, "ok"]);
  assertEquals(await reconcile(service.test.database, {}), []);
});

test("an instance set ahead while it delivers neither delays a lane nor holds it longer (F18)", async (t) => {
  const authority = await createTestAuthority();
  const receiver = await startTestReceiver(await authority.issue({ ip: ["127.0.0.1"] }));
  const asked = new Promise<ServerResponse>((resolve) => {
    receiver.behave = () => (_request, response) => resolve(response);
  });
  t.after(() => receiver.close());
  const { sql } = service.test.database;
  await sql`update partners set webhook_url = ${`https://127.0.0.1:${receiver.port}/`}
    where partner_id = ${bank.partnerId}`;
  const instance = { aheadMs: 0 };
  const delivering = service.createInstance(() => {}, {
    clockOffsetLimitMs: undefined,
    deliverWebhooks: true,
    listen: { kind: "nowhere" },
    webhookAllowLoopback: true,
    webhookCaPem: authority.certificatePem,
  }, () => Date.now() + instance.aheadMs);
  await delivering.start();
  t.after(() => delivering.stop());
  const response = await asked;
  receiver.behave = () => ({ status: 204 });
  instance.aheadMs = 450_000;
  // The lease is renewed meanwhile, and then the delivery ends.
  const lane = async () => {
    const [row] = await sql<{ leasedMs: number | null; dueMs: number }[]>`
      select (extract(epoch from leased_until - clock_timestamp()) * 1000)::float8 as "leasedMs",
        (extract(epoch from next_attempt_at - clock_timestamp()) * 1000)::float8 as "dueMs"
      from webhook_lanes where partner_id = ${bank.partnerId}`;
    return row!;
  };
  const before = await lane();
  await until(async () => (await lane()).leasedMs! > before.leasedMs!);
  assert((await lane()).leasedMs! < 10_000);
  response.writeHead(204).end();
  await until(async () => (await lane()).leasedMs === null);
  assert((await lane()).dueMs < 5_000);
});
