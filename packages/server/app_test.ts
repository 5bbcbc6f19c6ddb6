import { after, test } from "node:test";
import { assert, assertEquals, assertMatch } from "@std/assert";
import {
  ORDER,
  parseJson,
  PUBLISHED_RESERVE,
  RECEIPT_KEYS,
  RESERVE_OPENING,
  verifyReceipt,
  verifyReserve,
} from "@sabika/protocol";
import { makeReserves } from "@sabika/service/reserves";
import { random } from "../../test/support/random.ts";
import { sendRaw } from "../../test/support/raw_https.ts";
import { encodeUtf8, sha256Hex } from "@sabika/protocol";
import { actAs } from "../../test/support/acts.ts";
import { codeOf } from "../../test/support/answers.ts";
import { HEALTH, read, signed, write } from "../../test/support/service_requests.ts";
import { startTestService } from "../../test/support/test_service.ts";

const service = await startTestService();
after(service.close);
const [bank] = service.partners;
const caller = service.caller(bank);
const token = await service.token(bank);
const get = (target: string) => sendRaw(caller, read(target, token));
const json = (body: string) => JSON.parse(body);

test("GET /health reports that the service is available, and needs no token", async () => {
  const answer = await sendRaw(caller, HEALTH);
  assertEquals(answer.status, 200);
  const { status, environment, server_time } = json(answer.body);
  assertEquals([status, environment], ["ok", "sandbox"]);
  assertMatch(server_time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
});

test("the keys of receipts are published, with the one that signs", async () => {
  const answer = await sendRaw(caller, {
    ...HEALTH,
    target: "/.well-known/sabika-receipt-keys.json",
  });
  assertEquals(answer.status, 200);
  const [key, ...others] = json(answer.body).keys;
  assertEquals([others, key.alg, key.valid_until], [[], "ES256", null]);
});

test("every answer has an id, forbids caching and shows what is left of the rate limit", async () => {
  const answer = await get("/v1/prices");
  assertMatch(answer.headers.get("x-request-id")!, /^req_[0-9a-f-]{36}$/);
  assertEquals(answer.headers.get("cache-control"), "no-store");
  assertEquals(answer.headers.get("x-content-type-options"), "nosniff");
  assertMatch(answer.headers.get("ratelimit")!, /^"read";r=\d+;t=\d+$/);
  assertMatch(answer.headers.get("ratelimit-policy")!, /^"read";q=\d+;w=\d+$/);
});

test("the core flow works, and all of it can be read back: fund, quote, order, withdraw", async () => {
  const funded = await sendRaw(caller, write("/sandbox/fund", token, '{"amount_sar":1000.50}'));
  assertEquals([funded.status, json(funded.body).balance_sar], [201, 1000.5]);

  const quoted = await sendRaw(
    caller,
    write("/v1/quotes", token, '{"side":"buy","gold_grams":1.0000}'),
  );
  const quote = json(quoted.body);
  assertEquals([quoted.status, quote.status, quote.order_id], [201, "open", null]);

  const order = await sendRaw(
    caller,
    await signed(
      bank,
      "/v1/orders?a=1",
      token,
      `{"quote_id":"${quote.id}","client_reference":"r-1"}`,
    ),
  );
  const executed = json(order.body);
  assertEquals([order.status, executed.status, executed.total_sar], [
    201,
    "executed",
    quote.total_sar,
  ]);

  const withdrawn = await sendRaw(
    caller,
    await signed(bank, "/v1/withdrawals", token, '{"amount_sar":100}', {
      url: "/v1/withdrawals",
    }),
  );
  const withdrawal = json(withdrawn.body);
  assertEquals([withdrawn.status, withdrawal.status], [201, "pending"]);

  assertEquals(json((await get(`/v1/quotes/${quote.id}`)).body), {
    ...quote,
    status: "executed",
    order_id: executed.id,
  });
  const { balances, ...later } = executed;
  assertEquals(json((await get(`/v1/orders/${executed.id}`)).body), later);
  assertEquals(json((await get(`/v1/withdrawals/${withdrawal.id}`)).body), withdrawal);
  assertEquals(json((await get("/v1/balances")).body), {
    sar: Math.round((balances.sar - 100) * 100) / 100,
    gold_grams: 1,
  });
  const cases = [
    ["quotes", [quote.id]],
    ["orders", [executed.id]],
    ["withdrawals", [withdrawal.id]],
  ];
  for (const [list, ids] of cases) {
    const page = json((await get(`/v1/${list}?limit=5`)).body);
    assertEquals(page.data.map((item: { id: string }) => item.id), ids);
    assertEquals([page.has_more, page.next_cursor], [false, null]);
  }
});

test("an order has its receipt at once, which the published keys verify", async () => {
  const page = json((await get("/v1/orders?limit=1")).body);
  const order = ORDER.read(parseJson(JSON.stringify(page.data[0])));
  const receipt = await get(`/v1/orders/${order.id}/receipt`);
  assertEquals([receipt.status, receipt.headers.get("content-type")], [200, "application/jose"]);
  const keys = RECEIPT_KEYS.read(
    parseJson((await get("/.well-known/sabika-receipt-keys.json")).body),
  );
  const { faults, holds } = await verifyReceipt({ jws: receipt.body, keys, order });
  assertEquals([faults, holds], [[], ["signature", "value", "parts", "share", "order"]]);
  assertEquals((await get(`/v1/orders/${order.id}/receipt`)).body, receipt.body);
});

test("a statement is JSON or, if requested, CSV", async () => {
  const day = new Date(Date.now() + 3 * 3_600_000).toISOString().slice(0, 10);
  const statement = json((await get(`/v1/statements/${day}`)).body);
  assertEquals([statement.date, statement.provisional], [day, true]);
  assert(statement.entries.length >= 4);
  const request = read(`/v1/statements/${day}`, token);
  const csv = await sendRaw(caller, {
    ...request,
    headers: [...request.headers, ["Accept", "text/csv"]],
  });
  assertMatch(csv.headers.get("content-type")!, /^text\/csv/);
  assertEquals(csv.body.split("\r\n").length, statement.entries.length + 2);
  assertEquals(codeOf(await get("/v1/statements/2026-02-30")), "not_found");
});

test("me and limits show the caller's settings and no secret", async () => {
  const me = await get("/v1/me");
  assertEquals(json(me.body).client_id, "bank-a");
  assertEquals(
    json(me.body).credentials.map((credential: { kind: string }) => credential.kind).sort(),
    ["certificate", "client_secret", "signing_key", "webhook_secret"],
  );
  assert(!me.body.includes(bank.kit.clientSecret) && !me.body.includes(bank.kit.settlementIban));
  assertEquals(json((await get("/v1/limits")).body).quote.valid_for_seconds, 60);
});

test("a partner cannot see what another has made: those ids are unknown to it (F57)", async () => {
  const other = service.partners[1];
  const otherToken = await service.token(other);
  const asOther = (target: string) => sendRaw(service.caller(other), read(target, otherToken));
  const [order] = json((await get("/v1/orders")).body).data;
  const cases = [
    [`/v1/orders/${order.id}`, `/v1/orders/ord_${crypto.randomUUID()}`],
    [`/v1/quotes/${order.quote_id}`, `/v1/quotes/qt_${crypto.randomUUID()}`],
  ];
  for (const [target, unknown] of cases) {
    const [foreign, missing] = [await asOther(target!), await asOther(unknown!)];
    assertEquals(foreign.status, 404);
    const withoutIds = (body: string) => {
      const { instance: _i, request_id: _r, ...rest } = json(body);
      return rest;
    };
    assertEquals(withoutIds(foreign.body), withoutIds(missing.body));
  }
  assertEquals(json((await asOther("/v1/orders")).body).data, []);
});

test("POST /v1/signed-probe shows what was signed, and moves nothing", async () => {
  // Queries are signed byte for byte, even broken escapes and a lone `?`.
  const queries = ["?", "?%zz", "?a=%6F&a=%6f", "?x=http://a/../b", "?'\"<>|{}"];
  const targets = queries.map((query) => `/v1/signed-probe${query}`);
  for (const target of targets) {
    for (const [url, form] of [[undefined, "absolute"], [target, "origin"]]) {
      const answer = await sendRaw(
        caller,
        await signed(bank, target, token, "any bytes at all", { url }),
      );
      const probe = json(answer.body);
      assertEquals([answer.status, probe.verified, probe.url_form], [200, true, form]);
      assertEquals(probe.key_id, bank.kit.signingKeyId);
      assertMatch(probe.canonical_sha256, /^[0-9a-f]{64}$/);
    }
  }
});

test("HEAD answers like GET without a body; other methods get 405 with Allow", async () => {
  const head = await sendRaw(caller, { ...read("/v1/prices", token), method: "HEAD" });
  assertEquals([head.status, head.body], [200, ""]);
  const cases = [
    ["DELETE", "/v1/orders", "GET, HEAD, POST"],
    ["GET", "/oauth/token", "POST"],
    ["OPTIONS", "/v1/prices", "GET, HEAD"],
  ] as const;
  for (const [method, target, allow] of cases) {
    const answer = await sendRaw(caller, { ...read(target, token), method });
    assertEquals([answer.status, answer.headers.get("allow")], [405, allow], target);
  }
});

test("the history of prices has the span of a price that was quoted, and is bounded (D91)", async () => {
  const quoted = json(
    (await sendRaw(caller, write("/v1/quotes", token, '{"side":"buy","gold_grams":1}'))).body,
  );
  const mid = json((await get("/v1/prices")).body).mid_price_sar;
  const history = async (query: string) => {
    const answer = await get(`/v1/prices/history${query}`);
    const { errors, ...body } = json(answer.body);
    const [error] = errors ?? [];
    return { body, wrong: error && `${error.pointer} ${error.message}` };
  };
  for (const interval of ["1m", "5m", "1h", "1d"]) {
    const { body } = await history(`?interval=${interval}`);
    const span = body.spans.at(-1);
    assertEquals([body.interval, span.close_sar, span.high_sar], [interval, mid, mid]);
    assert(span.count >= 1 && span.start <= quoted.created_at);
  }
  assertEquals((await history("")).body.interval, "1h");
  const long = "from=2026-01-01T00:00:00.000Z&to=2026-03-01T00:00:00.000Z";
  const cases = [
    [`?${long}`, "/from 1000 spans at most: 2026-01-18T08:00:00.000Z or later"],
    ["?interval=2h", "/interval must be one of 1m, 5m, 1h, 1d"],
    ["?from=yesterday", "/from must be an RFC 3339 time in UTC"],
    ["?to=2026-01-01T00:00:00.000Z&from=2026-01-01T00:00:00.000Z", "/from must be before to"],
    ["?limit=1", "/ must be one of from, to, interval"],
    ["?interval=1h&interval=1h", "/interval is given twice"],
  ];
  for (const [query, wrong] of cases) assertEquals((await history(query!)).wrong, wrong);
});

test("a partner reads its pool, and each version byte for byte as it was hashed (D102)", async () => {
  const sha256 = async (text: string) => await sha256Hex(encodeUtf8(text));
  const { hash, fine_ug, ...vault } = json((await get("/v1/vault")).body);
  assertEquals([vault.pool, vault.version, vault.bars, vault.last_count], ["main", 2, 2, null]);
  const texts = await Promise.all(
    ["1", "2"].map(async (n) => (await get(`/v1/vault/versions/${n}`)).body),
  );
  assertEquals(await sha256(texts[1]!), hash);
  assertEquals(json(texts[1]!).previous, await sha256(texts[0]!));
  const fine = json(texts[1]!).bars.map((bar: { fine_ug: string }) => BigInt(bar.fine_ug));
  assertEquals(String(fine.reduce((a: bigint, b: bigint) => a + b)), fine_ug);
  for (const wrong of ["0", "3", "01", "1.0", "main", "99999999999"]) {
    assertEquals((await get(`/v1/vault/versions/${wrong}`)).status, 404, wrong);
  }
  // Nothing of others: neither what is allocated nor who draws on it.
  assertEquals(Object.keys(vault).sort(), ["bars", "last_count", "made_at", "pool", "version"]);
  assert((await actAs(service.admin, "vault.count", { bars: ["T1", "T2=9"] })).ok);
  const { last_count } = json((await get("/v1/vault")).body);
  assertEquals([last_count.agrees, last_count.age_seconds < 60], [false, true]);
  assertEquals([last_count.sha256.length, last_count.inspected], [64, null]);
});

test("a partner reads a day's reserve, and opens its own commitment alone (D105)", async () => {
  const { database } = service.admin;
  const day = new Date(Date.now() - 45 * 3_600_000).toISOString().slice(0, 10);
  const noonMs = Date.parse(day) + 33 * 3_600_000;
  const parts = { control: database, cells: [database], random };
  await makeReserves(parts, noonMs);
  const [last] = await database.sql<
    { day: string }[]
  >`select to_char(max(day), 'YYYY-MM-DD') as day from reserves`;
  const path = `/v1/reserves/${last!.day}`;
  const answer = await get(path);
  const { text, hash, isAttested } = PUBLISHED_RESERVE.read(parseJson(answer.body));
  assertEquals([answer.status, isAttested], [200, false]);
  const mine = RESERVE_OPENING.read(parseJson((await get(`${path}/mine`)).body));
  assertEquals(mine.partner, bank.clientId);
  assertEquals((await verifyReserve({ text, hash, mine })).faults, []);
  const [, other] = service.partners;
  const theirs = await sendRaw(
    service.caller(other!),
    read(`${path}/mine`, await service.token(other!)),
  );
  assertEquals(json(theirs.body).partner, other!.clientId);
  for (const wrong of ["2000-01-01", "2026-02-30", "x"]) {
    for (const target of [`/v1/reserves/${wrong}`, `/v1/reserves/${wrong}/mine`]) {
      assertEquals((await get(target)).status, 404, target);
    }
  }
});

test("a cell whose writes fail is not healthy, however many others are refused", async () => {
  const quotes = async (count: number, body: string) => {
    const send = () => sendRaw(caller, write("/v1/quotes", token, body));
    return [...new Set((await Promise.all(Array.from({ length: count }, send))).map(codeOf))];
  };
  const { sql } = service.test.database;
  await sql`alter table quotes add constraint broken check (price_source = 'x') not valid`;
  assertEquals(await quotes(50, "{}"), ["invalid_request"]);
  assertEquals((await sendRaw(caller, HEALTH)).status, 200);
  assertEquals(await quotes(5, '{"side":"buy","gold_grams":1}'), ["internal_error"]);
  assertEquals((await sendRaw(caller, HEALTH)).status, 503);
});
