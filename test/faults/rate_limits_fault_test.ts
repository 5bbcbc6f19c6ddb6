/** F69, I10: a partner asks for more than ten times what it may, at both instances, while another one trades. */
import { after, test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { updatePartner } from "@sabika/office/partners";
import { reconcile } from "@sabika/service/ledger";
import type { RateClass } from "@sabika/terms";
import { codeOf } from "../support/answers.ts";
import { openRaw, type RawConnection, type RawRequest, sendRaw } from "../support/raw_https.ts";
import { read, signed, write } from "../support/service_requests.ts";
import type { ServicePartner } from "../support/service_partner.ts";
import { sized } from "../support/sized.ts";
import { startTestService } from "../support/test_service.ts";
import { percentile } from "./load.ts";

const LIMIT = { perSecond: 1, burst: 5 };
const TIMES_TOO_MANY = 10;
/** A stretch with the flood, and one without, by turns. */
const STRETCH_MS = 500;
const ROUNDS = sized(4, 120);

const service = await startTestService({ instances: 2, databaseConnections: 8 });
after(service.close);
const [greedy, honest] = service.partners;
const all: readonly RateClass[] = ["read", "write", "signed"];
const ofAll = (limit: typeof LIMIT) => Object.fromEntries(all.map((name) => [name, limit]));
for (const partner of service.partners) {
  const fund = write("/sandbox/fund", await service.token(partner), '{"amount_sar":1000000}');
  assertEquals((await sendRaw(service.caller(partner), fund)).status, 201);
}
await updatePartner(service.admin, greedy.clientId, { rateLimits: ofAll(LIMIT) });
await updatePartner(service.admin, honest.clientId, {
  rateLimits: ofAll({ perSecond: 10_000, burst: 20_000 }),
  openQuotesLimit: 100_000,
});
await service.refresh();
const [greedyToken, honestToken] = [await service.token(greedy), await service.token(honest)];

/** What is asked for too often, by its class of the limits. */
const CALLS: Readonly<Record<string, () => RawRequest | Promise<RawRequest>>> = {
  read: () => read("/v1/balances", greedyToken),
  write: () => write("/sandbox/fund", greedyToken, '{"amount_sar":2}'),
  signed: () => signed(greedy, "/v1/withdrawals", greedyToken, '{"amount_sar":1}'),
};

/** Calls of one class at one instance, over a connection of their own. */
interface Asked {
  readonly name: string;
  readonly instance: number;
  readonly connection: RawConnection;
  sent: number;
  passed: number;
}

/** Asks until `isOver` and ten times too often; every refusal says when to come again. */
async function flood(asked: Asked, isOver: () => boolean): Promise<void> {
  while (!isOver() || asked.sent < TIMES_TOO_MANY * asked.passed) {
    const answer = await asked.connection.send(await CALLS[asked.name]!());
    asked.sent++;
    if (answer.status < 300) {
      asked.passed++;
      continue;
    }
    assertEquals([answer.status, codeOf(answer)], [429, "rate_limited"]);
    assertEquals(answer.headers.get("retry-after"), String(1 / LIMIT.perSecond));
  }
}

const connect = (partner: ServicePartner) =>
  Promise.all([0, 1].map((instance) => openRaw(service.caller(partner, instance))));
const trading = await connect(honest);

/** Trades until `isOver`, at both instances by turns; each call's milliseconds. */
async function trade(isOver: () => boolean): Promise<number[]> {
  const times: number[] = [];
  const send = async (request: RawRequest) => {
    const startedMs = performance.now();
    const answer = await trading[times.length % 2]!.send(request);
    times.push(performance.now() - startedMs);
    assertEquals(answer.status, 201, answer.body);
    return answer;
  };
  while (!isOver()) {
    const quoted = await send(write("/v1/quotes", honestToken, '{"side":"buy","gold_grams":0.01}'));
    const { id } = JSON.parse(quoted.body) as { id: string };
    await send(await signed(honest, "/v1/orders", honestToken, `{"quote_id":"${id}"}`));
  }
  return times;
}

test("ten times too much is refused without an effect, and the other partner trades on (F69)", async (t) => {
  const { sql } = service.test.database;
  const asked: Asked[] = [];
  for (const name of Object.keys(CALLS)) {
    for (const [instance, connection] of (await connect(greedy)).entries()) {
      asked.push({ name, instance, connection, sent: 0, passed: 0 });
    }
  }
  const times = { quiet: [] as number[], flooded: [] as number[] };
  const startedMs = performance.now();
  for (let round = 0; round < ROUNDS; round++) {
    for (const stretch of ["quiet", "flooded"] as const) {
      const endMs = performance.now() + STRETCH_MS;
      const isOver = () => performance.now() >= endMs;
      let flooding = stretch === "quiet" ? 0 : asked.length;
      const floods = asked.slice(0, flooding).map((one) =>
        flood(one, isOver).finally(() => flooding--)
      );
      times[stretch].push(...await trade(() => isOver() && flooding === 0));
      await Promise.all(floods);
    }
  }
  const seconds = (performance.now() - startedMs) / 1_000;
  for (const { connection } of asked) connection.close();
  for (const connection of trading) connection.close();
  for (const { name, instance, sent, passed } of asked) {
    const most = LIMIT.burst + Math.ceil(seconds * LIMIT.perSecond);
    const what = `${name} at ${instance}: ${passed} of ${sent} in ${seconds.toFixed(1)} s`;
    assert(passed >= LIMIT.burst && passed <= most, what);
    assert(sent >= TIMES_TOO_MANY * passed, what);
  }
  // What was refused has left nothing: the rows and the balance are those of what passed.
  const passedOf = (of: string) =>
    asked.filter(({ name }) => name === of).reduce((sum, { passed }) => sum + passed, 0);
  const [rows] = await sql<{ fundings: number; withdrawals: number; cash: bigint }[]>`
    select (select count(*)::int from fundings where partner_id = a.partner_id) as fundings,
      (select count(*)::int from withdrawals where partner_id = a.partner_id) as withdrawals,
      cash_halalas as cash from accounts a where partner_id = ${greedy.partnerId}::integer`;
  const [funded, withdrawn] = [passedOf("write"), passedOf("signed")];
  assertEquals({ ...rows }, {
    ...{ fundings: 1 + funded, withdrawals: withdrawn },
    cash: 100_000_000n + BigInt(200 * funded - 100 * withdrawn),
  });
  assertEquals(await reconcile(service.test.database, {}), []);
  const told = Object.entries(times).map(([stretch, all]) => {
    const [p50, p99] = [0.5, 0.99].map((share) => percentile(all, share).toFixed(1));
    return `${stretch} p50 ${p50} ms, p99 ${p99} ms of ${all.length} calls`;
  });
  t.diagnostic(`${asked.reduce((sum, { sent }) => sum + sent, 0)} too many; ${told.join("; ")}`);
});
