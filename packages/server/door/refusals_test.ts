import { after, test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { createFixedPrice } from "@sabika/service/prices";
import { type ErrorCode, RETRYABLE, STATUS_OF } from "@sabika/protocol";
import { type RawRequest, sendRaw } from "../../../test/support/raw_https.ts";
import { codeOf, objectOf } from "../../../test/support/answers.ts";
import { read, signed, write } from "../../../test/support/service_requests.ts";
import { type ServicePartner } from "../../../test/support/service_partner.ts";
import { countRows, startTestService } from "../../../test/support/test_service.ts";

// Every refusal of Decision D32 on real requests: status, code and form, no row left but a spent
// nonce, and nothing secret in the answer or the log.

const prices = createFixedPrice({ midTenThousandths: 4_000_000n });
const service = await startTestService({ prices });
after(service.close);
const [bank, other] = service.partners;
const token = await service.token(bank);
const send = (request: RawRequest, as: ServicePartner = bank) =>
  sendRaw(service.caller(as), request);
const order = (quoteId: string, choices: Parameters<typeof signed>[4] = {}) =>
  signed(bank, "/v1/orders", token, `{"quote_id":"${quoteId}"}`, choices);

/** Asks for a quote and gives its id. */
async function quote(side: "buy" | "sell", grams: string, as = bank, withToken = token) {
  const body = `{"side":"${side}","gold_grams":${grams}}`;
  const answer = await send(write("/v1/quotes", withToken, body), as);
  return objectOf(answer).get("id") as string;
}

await send(write("/sandbox/fund", token, '{"amount_sar":10000}'));
const openQuote = await quote("buy", "1");
const nonce = crypto.randomUUID();
const usedQuote = await quote("buy", "1");
const usedKey = crypto.randomUUID();
const usedOrder = await send(
  await order(usedQuote, { nonce, headers: { "Idempotency-Key": usedKey } }),
);
assertEquals(usedOrder.status, 201, usedOrder.body);

const withdrawn = await send(await signed(bank, "/v1/withdrawals", token, '{"amount_sar":5}'));
const cancelled = objectOf(withdrawn).get("id") as string;
const cancellation = await send(
  await signed(bank, `/v1/withdrawals/${cancelled}/cancel`, token, "{}"),
);
assertEquals(objectOf(cancellation).get("status"), "cancelled", cancellation.body);

interface Case {
  readonly request: () => Promise<RawRequest> | RawRequest;
  readonly as?: ServicePartner;
  /** How many nonces it spends. */
  readonly nonces?: 1;
  readonly meta?: readonly string[];
  readonly header?: readonly [name: string, pattern: RegExp];
}

/** One refusal: what comes back, what it leaves in the database, and what it tells nobody. */
function refuses(
  title: string,
  code: ErrorCode,
  { request, as = bank, nonces, meta, header }: Case,
) {
  test(`${title} → ${STATUS_OF[code]} ${code}`, async () => {
    const sent = await request();
    const before = await countRows(service);
    const lines = service.logged.length;
    const answer = await send(sent, as);
    assertEquals([answer.status, codeOf(answer)], [STATUS_OF[code], code], answer.body);
    assertEquals(answer.headers.get("content-type"), "application/problem+json");
    const problem = objectOf(answer);
    assertEquals(problem.get("type"), `urn:sabika:error:${code}`);
    assertEquals(problem.get("retryable"), RETRYABLE[code]);
    assertEquals(problem.get("request_id"), answer.headers.get("x-request-id"));
    for (const name of ["title", "detail", "instance"]) {
      assertEquals(typeof problem.get(name), "string", name);
    }
    assertEquals(
      [...(problem.get("meta") as ReadonlyMap<string, unknown> ?? new Map()).keys()],
      meta ?? [],
    );
    if (header) assert(header[1].test(answer.headers.get(header[0]) ?? ""), header[0]);
    assertEquals(await countRows(service), { ...before, nonces: before.nonces! + (nonces ?? 0) });
    const said = answer.body + service.logged.slice(lines).join("\n");
    for (const [name, value] of sent.headers) {
      if (SECRET.has(name.toLowerCase()) && value.length > 8) assert(!said.includes(value), name);
    }
    for (const secret of [token, bank.kit.clientSecret, bank.kit.settlementIban, "PRIVATE KEY"]) {
      assert(!said.includes(secret));
    }
  });
}

const SECRET = new Set(["authorization", "x-jws-signature", "x-nonce", "idempotency-key"]);
const BEARER = /^Bearer realm="sabika"/;
const INVALID = /^Bearer realm="sabika", error="invalid_token"$/;

// Who is calling.
refuses("no token", "token_missing", {
  request: () => ({ ...read("/v1/prices", token), headers: [["Host", "x"]] }),
  header: ["www-authenticate", /^Bearer realm="sabika"$/],
});
refuses("a token of no form", "token_invalid", {
  request: () => read("/v1/prices", "not,a,token"),
  header: ["www-authenticate", INVALID],
});
refuses("Basic instead of Bearer", "token_invalid", {
  request: () => ({
    ...read("/v1/prices", ""),
    headers: [["Host", "x"], ["Authorization", "Basic YTpi"]],
  }),
  header: ["www-authenticate", BEARER],
});
refuses("a token that says it is of production", "environment_mismatch", {
  request: () => {
    const [header, payload, signature] = token.split(".");
    const claims = JSON.parse(atob(payload!.replaceAll("-", "+").replaceAll("_", "/")));
    const changed = btoa(JSON.stringify({ ...claims, env: "production" })).replaceAll("=", "");
    return read("/v1/prices", `${header}.${changed}.${signature}`);
  },
});
refuses("another partner's token", "token_certificate_mismatch", {
  request: () => read("/v1/prices", token),
  as: other,
  header: ["www-authenticate", INVALID],
});

// The signature and what belongs to it.
refuses("no X-Timestamp", "timestamp_invalid", {
  request: async () => without(await order(openQuote), "x-timestamp"),
});
refuses("no X-Nonce", "nonce_invalid", {
  request: async () => without(await order(openQuote), "x-nonce"),
});
refuses("no X-JWS-Signature", "signature_missing", {
  request: async () => without(await order(openQuote), "x-jws-signature"),
});
refuses("a signature of no form", "signature_malformed", {
  request: () => order(openQuote, { headers: { "x-jws-signature": "a.b.c" } }),
  meta: ["reason"],
});
refuses("another URL signed", "signature_invalid", {
  request: () => order(openQuote, { url: "https://sabika.test/v1/withdrawals" }),
});
refuses("another partner's key", "signature_invalid", {
  request: () => order(openQuote, { key: other.signingKey }),
});
refuses("a timestamp 301 s in the past", "timestamp_out_of_window", {
  request: () => order(openQuote, { timestampSeconds: Math.floor(Date.now() / 1000) - 302 }),
  meta: ["server_time", "skew_seconds"],
});
refuses("a nonce again, under another key, time and body", "nonce_reused", {
  request: () => order(openQuote, { nonce, timestampSeconds: Math.floor(Date.now() / 1000) - 9 }),
});
refuses("a nonce again, on another route", "nonce_reused", {
  request: () => signed(bank, "/v1/signed-probe", token, "x", { nonce }),
});
refuses("a nonce again, with a bad body", "nonce_reused", {
  request: () => signed(bank, "/v1/orders", token, "{", { nonce }),
});

// The headers and the body of a write.
refuses("no Idempotency-Key", "idempotency_key_missing", {
  request: async () => without(await order(openQuote), "Idempotency-Key"),
});
refuses("an Idempotency-Key with a blank", "idempotency_key_invalid", {
  request: () => order(openQuote, { headers: { "Idempotency-Key": "a b" } }),
});
refuses("two X-Nonce lines", "duplicate_header", {
  request: async () => {
    const request = await order(openQuote);
    return { ...request, headers: [...request.headers, ["X-Nonce", crypto.randomUUID()]] };
  },
  meta: ["header"],
});
refuses("text/plain", "unsupported_media_type", {
  request: () => order(openQuote, { headers: { "Content-Type": "text/plain" } }),
});
refuses("a body that is announced as gzip", "unsupported_media_type", {
  request: () => order(openQuote, { headers: { "Content-Encoding": "gzip" } }),
});
refuses("a body of 65 537 bytes", "payload_too_large", {
  request: () => signed(bank, "/v1/orders", token, new Uint8Array(65_537).fill(32)),
  meta: ["limit_bytes"],
});
refuses("a signed body that is no JSON", "malformed_json", {
  request: () => signed(bank, "/v1/orders", token, '{"quote_id":'),
  nonces: 1,
});
refuses("a signed body with an unknown member", "invalid_request", {
  request: () => signed(bank, "/v1/orders", token, `{"quote_id":"${openQuote}","total":1}`),
  nonces: 1,
});
refuses("a bad body under a key that is taken", "idempotency_key_conflict", {
  request: () =>
    signed(bank, "/v1/orders", token, "{", { headers: { "Idempotency-Key": usedKey } }),
  nonces: 1,
  meta: ["resource_id"],
});
// Business.
refuses("a key that is taken, with other parameters", "idempotency_key_conflict", {
  request: () => order(openQuote, { headers: { "Idempotency-Key": usedKey } }),
  nonces: 1,
  meta: ["resource_id"],
});
refuses("a quote that was used", "quote_already_used", {
  request: () => order(usedQuote),
  nonces: 1,
  meta: ["order_id"],
});
refuses("a quote that nobody has", "quote_not_found", {
  request: () => order(`qt_${crypto.randomUUID()}`),
  nonces: 1,
});
refuses("another partner's quote", "quote_not_found", {
  request: async () => {
    const otherToken = await service.token(other);
    return await order(await quote("buy", "1", other, otherToken));
  },
  nonces: 1,
});
refuses("more money than there is", "insufficient_funds", {
  request: async () => await order(await quote("buy", "100")),
  nonces: 1,
  meta: ["asset", "available", "needed"],
});
refuses("more gold than there is", "insufficient_gold", {
  request: async () => await order(await quote("sell", "5")),
  nonces: 1,
  meta: ["asset", "available", "needed"],
});
refuses("a withdrawal of more than there is", "insufficient_funds", {
  request: () => signed(bank, "/v1/withdrawals", token, '{"amount_sar":99999999}'),
  nonces: 1,
  meta: ["asset", "available", "needed"],
});
refuses("cancelling an unknown withdrawal", "not_found", {
  request: () => signed(bank, "/v1/withdrawals/wd_1/cancel", token, "{}"),
  nonces: 1,
});
refuses("cancelling a withdrawal that is cancelled", "withdrawal_not_cancellable", {
  request: () => signed(bank, `/v1/withdrawals/${cancelled}/cancel`, token, "{}"),
  nonces: 1,
  meta: ["status"],
});
refuses("too little gold", "amount_below_minimum", {
  request: () => write("/v1/quotes", token, '{"side":"buy","gold_grams":0.009}'),
  meta: ["asset", "minimum"],
});
refuses("too much gold", "amount_above_maximum", {
  request: () => write("/v1/quotes", token, '{"side":"buy","gold_grams":10000.0001}'),
  meta: ["asset", "maximum"],
});
refuses("an unknown path", "not_found", { request: () => read("/v1/nothing", token) });
refuses("another method", "method_not_allowed", {
  request: () => ({ ...read("/v1/orders", token), method: "DELETE" }),
  header: ["allow", /^GET, HEAD, POST$/],
});

test("a quote whose 60 seconds are over → 409 quote_expired", async () => {
  const late = await quote("buy", "1");
  service.clock.offsetMs = 60_001;
  const answer = await send(await order(late));
  service.clock.offsetMs = 0;
  assertEquals([answer.status, codeOf(answer)], [409, "quote_expired"], answer.body);
  const meta = objectOf(answer).get("meta") as ReadonlyMap<string, unknown>;
  assertEquals([...meta.keys()], ["expired_at", "server_time"]);
});

function without(request: RawRequest, name: string): RawRequest {
  return {
    ...request,
    headers: request.headers.filter(([header]) => header.toLowerCase() !== name.toLowerCase()),
  };
}
