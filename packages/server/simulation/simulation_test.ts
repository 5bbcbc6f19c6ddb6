import { after, test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { reconcile } from "@sabika/service/ledger";
import { isErrorCode, RETRYABLE, SIMULATION_NAMES, SIMULATIONS, STATUS_OF } from "@sabika/protocol";
import { codeOf, objectOf } from "../../../test/support/answers.ts";
import { type RawRequest, sendRaw } from "../../../test/support/raw_https.ts";
import { read, signed, tokenRequest, write } from "../../../test/support/service_requests.ts";
import { startTestService } from "../../../test/support/test_service.ts";
import { until } from "../../../test/support/until.ts";

// Decision D55: the table of docs/simulate.md on real requests.

const service = await startTestService();
after(service.close);
const [bank] = service.partners;
const token = await service.token(bank);
const send = (request: RawRequest) => sendRaw(service.caller(bank), request);

function simulating(request: RawRequest, name: string): RawRequest {
  return { ...request, headers: [...request.headers, ["Sabika-Simulate", name]] };
}

async function quote(side: "buy" | "sell"): Promise<string> {
  const answer = await send(write("/v1/quotes", token, `{"side":"${side}","gold_grams":1}`));
  return String(objectOf(answer).get("id"));
}

const key = () => ({ headers: { "Idempotency-Key": crypto.randomUUID() } });
const withdrawal = () => signed(bank, "/v1/withdrawals", token, '{"amount_sar":5}', key());
/** A request of each kind that would be carried out. */
const REQUESTS: Record<string, (side: "buy" | "sell") => Promise<RawRequest> | RawRequest> = {
  "every request": () => read("/v1/balances", token),
  "GET /v1/prices": () => read("/v1/prices", token),
  "GET /v1/orders/{id}/receipt": () => read(`/v1/orders/ord_${crypto.randomUUID()}/receipt`, token),
  "POST /v1/quotes": () => write("/v1/quotes", token, '{"side":"buy","gold_grams":1}'),
  "POST /v1/orders": async (side) =>
    await signed(bank, "/v1/orders", token, `{"quote_id":"${await quote(side)}"}`, key()),
  "POST /v1/withdrawals": withdrawal,
  "POST /v1/withdrawals/{id}/cancel": async () => {
    const made = await send(await withdrawal());
    const path = `/v1/withdrawals/${objectOf(made).get("id")}/cancel`;
    return await signed(bank, path, token, "{}", key());
  },
  "POST /sandbox/fund": () => write("/sandbox/fund", token, '{"amount_sar":10}'),
  "POST /v1/signed-probe": () => signed(bank, "/v1/signed-probe", token, "{}"),
  "POST /v1/credentials/certificate": () =>
    signed(bank, "/v1/credentials/certificate", token, "{}"),
  "POST /v1/credentials/signing-key": () =>
    signed(bank, "/v1/credentials/signing-key", token, "{}"),
};
await send(write("/sandbox/fund", token, '{"amount_sar":10000}'));

const cases = SIMULATION_NAMES.flatMap((name) => {
  const { on } = SIMULATIONS[name];
  return [on].flat().map((route) => [name, route] as const);
});

for (const [name, route] of cases.filter(([name]) => isErrorCode(name))) {
  test(`${route} with ${name} is refused, in its own form`, async () => {
    const side = name === "insufficient_gold" ? "sell" : "buy";
    const request = name === "not_found"
      ? read(`/v1/orders/ord_${crypto.randomUUID()}`, token)
      : await REQUESTS[route]!(side);
    const answer = await send(simulating(request, name));
    assert(isErrorCode(name));
    const status = name === "outcome_unknown" ? 503 : STATUS_OF[name];
    assertEquals([answer.status, codeOf(answer)], [status, name], answer.body);
    assertEquals(answer.headers.get("content-type"), "application/problem+json");
    assertEquals(objectOf(answer).get("retryable"), RETRYABLE[name]);
    const isLater = [429, 503].includes(status) && name !== "inventory_unavailable";
    assertEquals(answer.headers.has("retry-after"), isLater);
    const challenge = answer.headers.has("www-authenticate");
    assertEquals(challenge, name.startsWith("token_"));
    assertEquals(answer.headers.has("allow"), name === "method_not_allowed");
  });
}

test("a simulated refusal leaves the key free: the same request again is carried out", async () => {
  for (const name of ["insufficient_funds", "quote_expired", "quote_not_found"]) {
    const choices = key();
    const body = `{"quote_id":"${await quote("buy")}"}`;
    const order = () => signed(bank, "/v1/orders", token, body, choices);
    assertEquals(codeOf(await send(simulating(await order(), name))), name);
    assertEquals((await send(await order())).status, 201, name);
  }
});

test("refusals of business rules come with the true figures", async () => {
  const refused = async (name: string, side: "buy" | "sell" = "buy") => {
    const answer = await send(simulating(await REQUESTS["POST /v1/orders"]!(side), name));
    return JSON.parse(answer.body).meta;
  };
  const balances = JSON.parse((await send(read("/v1/balances", token))).body);
  const funds = await refused("insufficient_funds");
  assertEquals([funds.asset, funds.available], ["SAR", balances.sar]);
  // By more than what the partner does at the same time could bring.
  assert(funds.needed >= funds.available + 1_000_000, JSON.stringify(funds));
  const gold = await refused("insufficient_gold", "sell");
  assertEquals([gold.asset, gold.available], ["XAU", balances.gold_grams]);
  assert(gold.needed >= gold.available + 10_000, JSON.stringify(gold));
  const expired = await refused("quote_expired");
  assert(expired.server_time > expired.expired_at);
  const used = await refused("quote_already_used");
  const order = await send(read(`/v1/orders/${used.order_id}`, token));
  assertEquals(objectOf(order).get("client_reference"), "simulated");
});

for (const name of ["lost_answer", "outcome_unknown"]) {
  test(`after ${name} the same key is answered with what was carried out`, async () => {
    const choices = key();
    const body = `{"quote_id":"${await quote("buy")}"}`;
    const order = () => signed(bank, "/v1/orders", token, body, choices);
    const lost = await send(simulating(await order(), name)).catch(() => undefined);
    assertEquals(lost?.status, name === "lost_answer" ? undefined : 503);
    const unavailable = async () =>
      codeOf(await send(simulating(await order(), "service_unavailable")));
    assertEquals(await unavailable(), "outcome_unknown");
    const again = await send(await order());
    assertEquals([again.status, again.headers.get("idempotent-replayed")], [200, "true"]);
    assertEquals(await unavailable(), "service_unavailable");
  });
}

test("a repeat that the door cannot let in is told that its first attempt may stand", async () => {
  const [partner, { sql }] = [await service.admit("bank-repeats"), service.test.database];
  await service.refresh();
  const bearer = await service.token(partner);
  const from = async (request: RawRequest, as = partner) =>
    codeOf(await sendRaw(service.caller(as), request));
  const { headers } = key();
  const fund = (more = headers) => write("/sandbox/fund", bearer, '{"amount_sar":10}', more);
  /** Answers while the register cannot be read and is too old. */
  const whileStale = async (ask: () => Promise<string>) => {
    await sql`alter table register_state rename to register_state_away`;
    service.clock.offsetMs += 5_000;
    const code = await ask();
    service.clock.offsetMs -= 5_000;
    await sql`alter table register_state_away rename to register_state`;
    await service.refresh();
    return code;
  };
  assertEquals(await from(simulating(fund(), "outcome_unknown")), "outcome_unknown");
  assertEquals(await whileStale(() => from(fund())), "outcome_unknown");
  const others = [
    () => from(fund(), bank),
    () => from(fund(key().headers)),
    () => from({ method: "GET", target: "/v1/balances", headers: fund().headers }),
  ];
  for (const ask of others) assertEquals(await whileStale(ask), "service_unavailable");
  assertEquals(await from(fund()), "ok");
  assertEquals(await whileStale(() => from(fund())), "service_unavailable");

  assertEquals(await from(simulating(fund(), "outcome_unknown")), "outcome_unknown");
  await service.revokeCertificate(partner);
  await service.refresh();
  assertEquals(await whileStale(() => from(fund())), "service_unavailable");
});

test("a slow answer is the right one", async () => {
  const began = performance.now();
  const answer = await send(simulating(read("/v1/balances", token), "slow_answer"));
  assertEquals(answer.status, 200);
  assert(performance.now() - began > 2_500);
});

test("a lost answer of a read frees what it held", async () => {
  const statement = read("/v1/statements/2026-11-20", token);
  for (let n = 0; n < 10; n++) {
    assertEquals(await send(simulating(statement, "lost_answer")).catch(() => "lost"), "lost");
  }
  assertEquals((await send(statement)).status, 200);
});

test("an unknown simulation, or one of another route, is refused with simulation_invalid", async () => {
  for (const name of ["", "quote", "toString", "quote_expired, quote_expired", "quote_expired"]) {
    const answer = await send(simulating(read("/v1/balances", token), name));
    assertEquals([answer.status, codeOf(answer)], [400, "simulation_invalid"], name);
  }
});

test("a caller who is not authenticated yet can simulate nothing", async () => {
  assertEquals((await send(simulating(tokenRequest(bank), "internal_error"))).status, 200);
  assertEquals((await send(simulating(read("/health", token), "internal_error"))).status, 200);
  const wrong = simulating(read("/v1/balances", "a.b.c"), "internal_error");
  assertEquals(codeOf(await send(wrong)), "token_invalid");
  // Signed headers are checked before: the header is no part of what is signed.
  const order = await signed(bank, "/v1/orders", token, "{}", { url: "https://elsewhere.test" });
  assertEquals(codeOf(await send(simulating(order, "lost_answer"))), "signature_invalid");
});

test("an old quote is expired from the start, and its key gives it again", async () => {
  const choices = key().headers;
  const request = () => write("/v1/quotes", token, '{"side":"buy","gold_grams":1}', choices);
  const made = await send(simulating(request(), "old_quote"));
  const old = JSON.parse(made.body);
  assertEquals(made.status, 201, made.body);
  assert(Date.parse(old.expires_at) < service.now());
  const again = await send(simulating(request(), "old_quote"));
  assertEquals([again.status, JSON.parse(again.body).id], [201, old.id]);
  assertEquals([(await send(request())).status, (await send(request())).body], [200, made.body]);
  const listed = JSON.parse((await send(read(`/v1/quotes/${old.id}`, token))).body);
  assertEquals(listed.status, "expired");
  const order = await signed(bank, "/v1/orders", token, `{"quote_id":"${old.id}"}`, key());
  assertEquals(codeOf(await send(order)), "quote_expired");
});

test("the bank ends a withdrawal as simulated, with its money and its event", async () => {
  const ends = {
    withdrawal_failed: "failed",
    withdrawal_completed_late: "completed",
    withdrawal_cancelled: "cancelled",
  };
  await Promise.all(
    Object.entries(ends).map(async ([name, status]) => {
      const made = JSON.parse((await send(simulating(await withdrawal(), name))).body);
      assertEquals(made.status, "pending");
      let now = made;
      await until(async () => {
        now = JSON.parse((await send(read(`/v1/withdrawals/${made.id}`, token))).body);
        return now.status !== "pending" && now.status !== "processing";
      });
      const failure = status === "failed" ? { reason: "simulated" } : null;
      assertEquals([now.status, now.failure], [status, failure]);
      const events = JSON.parse((await send(read("/v1/events?limit=20", token))).body).data;
      const types = events.filter((event: { data: { object: { id: string } } }) =>
        event.data.object.id === made.id
      ).map(({ type }: { type: string }) => type);
      assertEquals(types, [`withdrawal.${status}`, "withdrawal.created"]);
    }),
  );
});

test("a scenario is the partner's own: a price for others too is refused, and nothing spent twice", async () => {
  const scenario = (body: string, choices = key()) =>
    signed(bank, "/sandbox/scenario", token, body, choices);
  const price = await send(await scenario('{"price":{"path":[{"after_seconds":0,"mid_sar":1}]}}'));
  assertEquals([price.status, codeOf(price)], [400, "simulation_invalid"]);
  const once = await scenario('{"funding":{"amount_sar":10,"comes":"returned"}}');
  assertEquals((await send(once)).status, 201);
  assertEquals(codeOf(await send(once)), "nonce_reused");
  const least = await send(await scenario('{"funding":{"amount_sar":0.01,"comes":"short"}}'));
  assertEquals(codeOf(least), "amount_below_minimum");
});

test("after all simulations the books are equal", async () => {
  assertEquals(await reconcile(service.test.database), []);
});
