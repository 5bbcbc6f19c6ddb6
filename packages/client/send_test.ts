import { test } from "node:test";
import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import {
  checkSignedHeaders,
  ERROR_CODES,
  type ErrorCode,
  formatTime,
  RETRYABLE,
  sha256Hex,
  STATUS_OF,
  verifySignedRequest,
} from "@sabika/protocol";
import {
  answer,
  BASE_URL,
  ORDER,
  order,
  problem,
  QUOTE_ID,
  type ScriptedService,
  scriptedService,
} from "../../test/support/scripted_service.ts";
import { createClient, SabikaError } from "./mod.ts";
import type { Exchange } from "./mod.ts";

const service = await scriptedService();
const play: ScriptedService["play"] = (...parts) => service.play(...parts);
/** Returns the error with which a call fails. */
const errorOf = (call: Promise<unknown>) => assertRejects(() => call, SabikaError);

test("an order carries the absolute URL's signature, a token and a key", async () => {
  const { client, calls, clock } = play(() => answer(201, ORDER));
  const placed = await order(client);
  assertEquals(placed.totalHalalas, 62_007n);
  assertEquals(placed.balances, { sarHalalas: 37_993n, goldMicrograms: 1_500_000n });
  const [sent] = calls;
  assertEquals(sent!.url, `${BASE_URL}/v1/orders`);
  assertEquals(new TextDecoder().decode(sent!.body), `{"quote_id":"${QUOTE_ID}"}`);
  assertEquals(sent!.headers.authorization, "Bearer secret-token-1");
  assertEquals(sent!.headers["x-timestamp"], String(clock.ms / 1000));
  const headers = checkSignedHeaders({
    timestamp: sent!.headers["x-timestamp"],
    nonce: sent!.headers["x-nonce"],
    signature: sent!.headers["x-jws-signature"],
  });
  assert(headers.ok);
  const verified = await verifySignedRequest({
    method: "POST",
    baseUrl: BASE_URL,
    target: "/v1/orders",
    bodySha256: await sha256Hex(sent!.body!),
    headers,
    keys: [{ keyId: service.kit.signingKeyId, publicKey: service.signingPublicKey }],
  });
  assert(verified.ok);
  assertEquals([verified.urlForm, verified.keyId], ["absolute", service.kit.signingKeyId]);
});

test("each attempt is signed afresh, and all have one Idempotency-Key", async () => {
  const { client, calls, pauses, clock } = play((_sent, nth) => {
    clock.ms += 2_000;
    if (nth === 1) throw new TypeError("fetch failed");
    if (nth === 2) return problem("outcome_unknown");
    if (nth === 3) return problem("service_unavailable", {}, { "retry-after": "2" });
    if (nth === 4) return problem("nonce_reused");
    return answer(200, ORDER, { "idempotent-replayed": "true" });
  });
  await order(client);
  assertEquals(calls.length, 5);
  const distinct = (name: string) => new Set(calls.map(({ headers }) => headers[name])).size;
  for (const name of ["x-nonce", "x-timestamp", "x-jws-signature"]) {
    assertEquals(distinct(name), 5, name);
  }
  assertEquals(distinct("idempotency-key"), 1);
  assertEquals(pauses.length, 4);
  assert(pauses[2]! >= 2_000, "Retry-After");
});

/** Makes a service whose first answer is lost, and that refuses each repeat with this code. */
const losesFirst = (code: ErrorCode) =>
  play((_sent, nth) => {
    if (nth === 1) throw new TypeError("fetch failed");
    return problem(code);
  });

test("a refused repeat leaves the outcome of the first attempt unknown", async () => {
  // The first attempt may still be in flight, and arrive when there is gold again.
  const cases = [["service_unavailable", 503], ["insufficient_gold", 422]] as const;
  for (const [code, status] of cases) {
    const error = await errorOf(order(losesFirst(code).client));
    assertEquals([error.code, error.status], ["outcome_unknown", status]);
    assertEquals([error.retryable, (error.cause as SabikaError).code], [true, code]);
    assert(error.idempotencyKey !== undefined && error.requestId === "req_1");
  }
  const { client } = play(() => problem("service_unavailable"));
  const refused = await errorOf(order(client));
  assertEquals(refused.code, "service_unavailable", "here no attempt may stand");
  const found = losesFirst("idempotency_key_conflict");
  const settled = await errorOf(order(found.client));
  assertEquals([settled.code, found.calls.length], ["idempotency_key_conflict", 2]);
  const { balances } = losesFirst("rate_limited").client;
  const unread = await errorOf(balances());
  assertEquals(unread.code, "rate_limited", "a read has no outcome");
});

test("an outcome is unknown however the answer was lost: broken, too late, or not the service's", async () => {
  const ways: (() => ReturnType<typeof answer> | Promise<never>)[] = [
    () => Promise.reject(new TypeError("fetch failed")),
    () => new Promise<never>(() => {}),
    () => ({ ...answer(201, ""), text: () => new Promise<never>(() => {}) }),
    () => answer(502, "<html>Bad gateway</html>"),
    () => problem("internal_error"),
  ];
  for (const lose of ways) {
    const script = (_sent: unknown, nth: number) =>
      nth === 1 ? lose() : problem("insufficient_gold");
    const error = await errorOf(order(play(script, { timeoutMs: 5 }).client));
    const cause = error.cause as SabikaError | undefined;
    assertEquals([error.code, cause?.code], ["outcome_unknown", "insufficient_gold"]);
  }
});

test("a refusal is repeated exactly when its code is retryable or the token can be renewed", async () => {
  for (const code of ERROR_CODES) {
    if (code === "timestamp_out_of_window") continue;
    const { client, calls } = play(() => problem(code), { retry: { attempts: 2 } });
    const error = await errorOf(order(client));
    // The first attempt may have been executed, whatever the answer to the second is (Decision D32).
    const seen = code === "internal_error" ? "outcome_unknown" : code;
    assertEquals([error.code, error.status], [seen, STATUS_OF[code]]);
    const renewsToken = code === "token_expired" || code === "token_invalid";
    assertEquals(calls.length, RETRYABLE[code] || renewsToken ? 2 : 1, code);
  }
});

test("an error has the members of the problem", async () => {
  const { client } = play(() =>
    problem("quote_already_used", {
      detail: "Another order was first.",
      meta: { order_id: "ord_x", count: 2 },
      errors: [{ pointer: "/quote_id", code: "not_allowed", message: "used" }],
    })
  );
  const error = await errorOf(client.order({ quoteId: QUOTE_ID }, { idempotencyKey: "mine" }));
  assertEquals([error.requestId, error.retryable, error.idempotencyKey], ["req_1", false, "mine"]);
  assertEquals(
    error.message,
    `quote_already_used: Another order was first. (request ${error.requestId})`,
  );
  assertEquals({ ...error.meta }, { order_id: "ord_x", count: 2 });
  assertEquals(error.errors.map((each) => each.pointer), ["/quote_id"]);
});

test("a call fails at once when Retry-After is longer than the policy's longest pause", async () => {
  const { client, calls, pauses } = play(() =>
    problem("too_many_open_quotes", {}, { "retry-after": "60" })
  );
  const error = await errorOf(client.quote({ side: "buy", goldMicrograms: 1n }));
  assertEquals([error.code, error.retryAfterSeconds], ["too_many_open_quotes", 60]);
  assertEquals([calls.length, pauses.length], [1, 0]);
});

test("a token that the service refuses is renewed once", async () => {
  const good = play((sent) =>
    sent.headers.authorization === "Bearer secret-token-1"
      ? problem("token_expired")
      : answer(200, "[]")
  );
  await errorOf(good.client.balances()); // "[]" is no balances
  assertEquals([good.calls.length, good.tokens()], [2, 2]);
  const bad = play(() => problem("token_invalid"));
  const error = await errorOf(bad.client.balances());
  assertEquals([error.code, bad.calls.length, bad.tokens()], ["token_invalid", 2, 2]);
});

test("a wrong clock is corrected by the service's time, and stays corrected", async () => {
  let behindMs = 7_200_000;
  const { client, calls, clock } = play(({ headers }) => {
    const skew = Number(headers["x-timestamp"]) - (clock.ms + behindMs) / 1000;
    if (Math.abs(skew) <= 300) return answer(201, ORDER);
    return problem("timestamp_out_of_window", {
      meta: { server_time: formatTime(clock.ms + behindMs) },
    });
  });
  await order(client);
  assertEquals(calls.length, 2);
  clock.ms += 60_000;
  await order(client);
  assertEquals(calls.length, 3);
  // Somebody sets the clock right.
  clock.ms += behindMs;
  behindMs = 0;
  await order(client);
  assertEquals(calls.length, 5);
});

test("a clock that cannot be corrected is an error after two attempts", async () => {
  const { client, calls } = play(() =>
    problem("timestamp_out_of_window", { meta: { server_time: "2027-01-01T00:00:00.000Z" } })
  );
  const error = await errorOf(order(client));
  assertEquals([error.code, calls.length], ["timestamp_out_of_window", 2]);
});

test("an attempt that takes too long is given up and repeated", async () => {
  const { client, calls } = play(
    (sent, nth) =>
      nth === 3
        ? answer(201, ORDER)
        : new Promise((_, reject) =>
          sent.signal.addEventListener("abort", () => reject(sent.signal.reason))
        ),
    { timeoutMs: 5 },
  );
  await order(client);
  assertEquals(calls.length, 3);
});

test("an error without any answer says so, and has the key for a repeat", async () => {
  const lost = play(() => Promise.reject(new TypeError("fetch failed")), {
    retry: { attempts: 3 },
  });
  const error = await errorOf(order(lost.client));
  assertEquals([error.code, error.status], ["connection_failed", 0]);
  assertEquals([error.retryable, lost.calls.length], [true, 3]);
  assertEquals(error.idempotencyKey, lost.calls[0]!.headers["idempotency-key"]);
  const slow = play(() => new Promise(() => {}), { retry: { attempts: 1 }, timeoutMs: 5 });
  // A fetch that ignores its signal does not delay the caller.
  const timedOut = await errorOf(order(slow.client));
  assertEquals([timedOut.code, timedOut.retryable], ["request_timed_out", true]);
});

test("an answer that does not come from the service is recognised", async () => {
  const { client, calls } = play(() => answer(502, "<html>Bad gateway</html>"), {
    retry: { attempts: 2 },
  });
  const error = await errorOf(order(client));
  assertEquals([error.code, error.status, calls.length], ["unexpected_answer", 502, 2]);
  const portal = play(() => answer(200, "<html>Please log in</html>"));
  assertEquals((await errorOf(order(portal.client))).code, "unexpected_answer");
  const redirect = play(() => answer(302, "", { location: "https://evil.example/" }));
  assertEquals((await errorOf(order(redirect.client))).status, 302);
});

test("a refused token request has the code of RFC 6749", async () => {
  const refused = answer(401, '{"error":"invalid_client","error_description":"no"}');
  const client = createClient(service.kit, { fetch: () => Promise.resolve(refused) });
  const error = await errorOf(client.balances());
  assertEquals([error.code, error.status, error.retryable], ["invalid_client", 401, false]);
});

test("health reports an unavailable service instead of failing", async () => {
  const away = play(() => answer(503, '{"status":"unavailable"}'));
  assertEquals(await away.client.health(), { status: "unavailable" });
  assertEquals([away.calls.length, away.tokens()], [1, 0]);
  const refused = play(() => problem("service_unavailable"), { retry: { attempts: 1 } });
  assertEquals((await errorOf(refused.client.health())).code, "service_unavailable");
});

test("an id from outside cannot lead to another route", async () => {
  const { client, calls } = play(() => answer(201, ORDER));
  for (const id of ["../me", "a/b", "a?b", "", "a#b", "%2e%2e"]) {
    await assertRejects(() => client.getOrder(id), TypeError);
  }
  assertEquals(calls.length, 0);
});

test("the observer sees every attempt, and no token or secret", async () => {
  const seen: Exchange[] = [];
  const { client } = play(
    (_sent, nth) =>
      nth === 1 ? problem("internal_error") : answer(200, ORDER, { "idempotent-replayed": "true" }),
    { observe: (exchange) => seen.push(exchange) },
  );
  await order(client);
  const short = seen.map((
    { url, attempt, status, replayed },
  ) => [url.slice(BASE_URL.length), attempt, status, replayed]);
  assertEquals(short, [
    ["/oauth/token", 1, 200, false],
    ["/v1/orders", 1, 500, false],
    ["/v1/orders", 2, 200, true],
  ]);
  assertStringIncludes(seen[2]!.body!, QUOTE_ID);
  const text = JSON.stringify(seen);
  // By their whole text: three letters of a secret also come about in a signature.
  assert(!text.includes("secret-token") && !text.includes(service.kit.clientSecret));
});
