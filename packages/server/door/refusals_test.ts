import { after, test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { type ErrorCode, RETRYABLE, STATUS_OF } from "@sabika/protocol";
import { type RawRequest, sendRaw } from "../../../test/support/raw_https.ts";
import { codeOf, objectOf } from "../../../test/support/answers.ts";
import { read, signed, write } from "../../../test/support/service_requests.ts";
import { type ServicePartner } from "../../../test/support/service_partner.ts";
import { countRows, startTestService } from "../../../test/support/test_service.ts";

// Every refusal of Decision D32 on real requests: status, code and form, no row left but a spent
// nonce, and nothing secret in the answer or the log. All malformed inputs are tested
// in packages/protocol and packages/jws.

const service = await startTestService();
after(service.close);
const [bank, other] = service.partners;
const PROBE = "/v1/signed-probe";
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

/** The members of a refusal's `meta`, by its code; other codes have no `meta`. */
const META: Partial<Record<ErrorCode, readonly string[]>> = {
  signature_malformed: ["reason"],
  timestamp_out_of_window: ["server_time", "skew_seconds"],
  duplicate_header: ["header"],
  payload_too_large: ["limit_bytes"],
  idempotency_key_conflict: ["resource_id"],
  quote_already_used: ["order_id"],
  insufficient_funds: ["asset", "available", "needed"],
  insufficient_gold: ["asset", "available", "needed"],
  withdrawal_not_cancellable: ["status"],
  amount_below_minimum: ["asset", "minimum"],
  amount_above_maximum: ["asset", "maximum"],
};

interface Circumstances {
  /** Who sends the requests: the bank when left out. */
  readonly as?: ServicePartner;
  /** How many nonces each request spends: none when left out. */
  readonly nonces?: 1;
  /** A header of the answer. */
  readonly header?: readonly [name: string, pattern: RegExp];
}

/** Tests that each request gets the code, leaves no row but a spent nonce, and reveals no secret. */
function refuses(
  code: ErrorCode,
  requests: Readonly<Record<string, () => Promise<RawRequest> | RawRequest>>,
  { as = bank, nonces, header }: Circumstances = {},
) {
  for (const [title, request] of Object.entries(requests)) {
    test(`${title} gives ${STATUS_OF[code]} ${code}`, async () => {
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
      const meta = problem.get("meta") as ReadonlyMap<string, unknown> ?? new Map();
      assertEquals([...meta.keys()], META[code] ?? []);
      if (header) assert(header[1].test(answer.headers.get(header[0]) ?? ""), header[0]);
      const spent = before.nonces! + (nonces ?? 0);
      assertEquals(await countRows(service), { ...before, nonces: spent });
      const text = answer.body + service.logged.slice(lines).join("\n");
      for (const [name, value] of sent.headers) {
        if (SECRET.has(name.toLowerCase()) && value.length > 8) assert(!text.includes(value), name);
      }
      for (const secret of [token, bank.kit.clientSecret, bank.kit.settlementIban, "PRIVATE KEY"]) {
        assert(!text.includes(secret));
      }
    });
  }
}

const SECRET = new Set(["authorization", "x-jws-signature", "x-nonce", "idempotency-key"]);
const nowSeconds = Math.floor(Date.now() / 1000);
const withHeader = (name: string, value: string) => () =>
  order(openQuote, { headers: { [name]: value } });
const without = (name: string) => async (): Promise<RawRequest> => {
  const request = await order(openQuote);
  return { ...request, headers: request.headers.filter(([header]) => header !== name) };
};
const readPrices = () => read("/v1/prices", token);

// Who is calling.
refuses("token_missing", {
  "no token": () => ({ ...readPrices(), headers: [["Host", "x"]] }),
}, { header: ["www-authenticate", /^Bearer realm="sabika"$/] });
const invalid = /^Bearer realm="sabika", error="invalid_token"$/;
refuses("token_invalid", {
  "a token of no form": () => read("/v1/prices", "not,a,token"),
  "Basic instead of Bearer": () => ({
    ...readPrices(),
    headers: [["Host", "x"], ["Authorization", "Basic YTpi"]],
  }),
}, { header: ["www-authenticate", invalid] });
refuses("environment_mismatch", {
  "a token that says it is of production": () => {
    const [header, payload, signature] = token.split(".");
    const claims = JSON.parse(atob(payload!.replaceAll("-", "+").replaceAll("_", "/")));
    const changed = btoa(JSON.stringify({ ...claims, env: "production" })).replaceAll("=", "");
    return read("/v1/prices", `${header}.${changed}.${signature}`);
  },
});
refuses("token_certificate_mismatch", { "another partner's token": readPrices }, {
  as: other,
  header: ["www-authenticate", invalid],
});

// The signature and what belongs to it.
const rightJws = (await order(openQuote)).headers.find(([name]) => name === "x-jws-signature")![1];
const [segment, signature] = rightJws.split("..") as [string, string];
const withJws = (value: string) => withHeader("x-jws-signature", value);
const underHeader = (header: string) =>
  withJws(`${btoa(header).replaceAll("=", "")}..${signature}`);
const longKid = `{"alg":"ES256","b64":false,"crit":["b64"],"kid":"${"x".repeat(8_000)}"}`;
refuses("signature_missing", { "no X-JWS-Signature": without("x-jws-signature") });
refuses("signature_malformed", {
  "a signature of no form": withJws("a.b.c"),
  "no algorithm (F43)": underHeader('{"alg":"none"}'),
  "a key's id of 8,000 characters (F44)": underHeader(longKid),
  "a signature of zeros (F45)": withJws(`${segment}..${"A".repeat(86)}`),
  "a payload in the signature (F45)": withJws(`${segment}.e30.${signature}`),
});
refuses("signature_invalid", {
  "another URL signed": () => order(openQuote, { url: "https://sabika.test/v1/withdrawals" }),
  "another partner's key": () => order(openQuote, { key: other.signingKey }),
});
refuses("timestamp_invalid", {
  "no X-Timestamp": without("x-timestamp"),
  "a fraction of a second (F34)": withHeader("x-timestamp", "1795167000.0"),
});
refuses("timestamp_out_of_window", {
  "a timestamp 301 s in the past": () => order(openQuote, { timestampSeconds: nowSeconds - 302 }),
  "a timestamp 301 s ahead (F34)": () => order(openQuote, { timestampSeconds: nowSeconds + 330 }),
});
refuses("nonce_invalid", {
  "no X-Nonce": without("x-nonce"),
  "a nonce of 15 characters (F33)": withHeader("x-nonce", "n".repeat(15)),
  "a nonce beyond ASCII (F33)": withHeader("x-nonce", "nnnnnnnnnnnnnnn\u00e9"),
});
refuses("nonce_reused", {
  "a nonce again, under another key, time and body": () =>
    order(openQuote, { nonce, timestampSeconds: nowSeconds - 9 }),
  "a nonce again, on another route": () => signed(bank, PROBE, token, "x", { nonce }),
  "a nonce again, with a bad body": () => signed(bank, "/v1/orders", token, "{", { nonce }),
});

// The headers and the body of a write.
refuses("idempotency_key_missing", { "no Idempotency-Key": without("Idempotency-Key") });
refuses("idempotency_key_invalid", {
  "an Idempotency-Key with a blank": withHeader("Idempotency-Key", "a b"),
  "an empty Idempotency-Key (F36)": withHeader("Idempotency-Key", ""),
  "an Idempotency-Key of 10,000 characters (F36)": withHeader(
    "Idempotency-Key",
    "k".repeat(10_000),
  ),
});
const ordering = await order(openQuote);
refuses(
  "duplicate_header",
  Object.fromEntries(
    ordering.headers.filter(([name]) => name !== "Host").map(([name, value]) => [
      `a second ${name} line`,
      () => ({ ...ordering, headers: [...ordering.headers, [name.toUpperCase(), value]] }),
    ]),
  ),
);
refuses("unsupported_media_type", {
  "text/plain": withHeader("Content-Type", "text/plain"),
  "a body that is announced as gzip": withHeader("Content-Encoding", "gzip"),
});
refuses("payload_too_large", {
  "a body of 65,537 bytes": () =>
    signed(bank, "/v1/orders", token, new Uint8Array(65_537).fill(32)),
});
const used = { headers: { "Idempotency-Key": usedKey } };
refuses("malformed_json", {
  "a signed body that is no JSON": () => signed(bank, "/v1/orders", token, '{"quote_id":'),
}, { nonces: 1 });
refuses("invalid_request", {
  "a signed body with an unknown member": () =>
    signed(bank, "/v1/orders", token, `{"quote_id":"${openQuote}","total":1}`),
}, { nonces: 1 });
refuses("idempotency_key_conflict", {
  "a bad body under a key that is taken": () => signed(bank, "/v1/orders", token, "{", used),
  "a key that is taken, with other parameters": () => order(openQuote, used),
}, { nonces: 1 });

// Business.
refuses("quote_already_used", { "a quote that was used": () => order(usedQuote) }, { nonces: 1 });
refuses("quote_not_found", {
  "a quote that nobody has": () => order(`qt_${crypto.randomUUID()}`),
  "another partner's quote": async () =>
    await order(await quote("buy", "1", other, await service.token(other))),
}, { nonces: 1 });
refuses("insufficient_funds", {
  "more money than there is": async () => await order(await quote("buy", "100")),
  "a withdrawal of more than there is": () =>
    signed(bank, "/v1/withdrawals", token, '{"amount_sar":99999999}'),
}, { nonces: 1 });
refuses("insufficient_gold", {
  "more gold than there is": async () => await order(await quote("sell", "5")),
}, { nonces: 1 });
refuses("not_found", {
  "cancelling an unknown withdrawal": () =>
    signed(bank, "/v1/withdrawals/wd_1/cancel", token, "{}"),
}, { nonces: 1 });
refuses("withdrawal_not_cancellable", {
  "cancelling a withdrawal that is cancelled": () =>
    signed(bank, `/v1/withdrawals/${cancelled}/cancel`, token, "{}"),
}, { nonces: 1 });
refuses("amount_below_minimum", {
  "too little gold": () => write("/v1/quotes", token, '{"side":"buy","gold_grams":0.009}'),
});
refuses("amount_above_maximum", {
  "too much gold": () => write("/v1/quotes", token, '{"side":"buy","gold_grams":10000.0001}'),
});
const misspelt = ["/v1/../v1/orders", "//v1/orders", "/v1/%6Frders", "/V1/orders", "/v1/nothing"];
refuses(
  "not_found",
  Object.fromEntries(misspelt.map((target) => [
    `the path ${target} (F64)`,
    () => signed(bank, target, token, '{"quote_id":"x"}'),
  ])),
);
refuses("method_not_allowed", {
  "another method": () => ({ ...read("/v1/orders", token), method: "DELETE" }),
}, { header: ["allow", /^GET, HEAD, POST$/] });

test("what is changed after signing is refused and spends no nonce (F35, F46)", async () => {
  const target = `${PROBE}?a=1&B=2`;
  const request = await signed(bank, target, token, '{"a":1}');
  const changedHeader = (name: string, value: string) => ({
    ...request,
    headers: request.headers.map((header) => header[0] === name ? [name, value] : header),
  });
  for (
    const changed of [
      { ...request, target: `${PROBE}?B=2&a=1` },
      { ...request, body: new TextEncoder().encode('{"a": 1}') },
      changedHeader("x-timestamp", String(nowSeconds - 7)),
      changedHeader("x-nonce", crypto.randomUUID()),
    ]
  ) {
    assertEquals(codeOf(await send(changed as RawRequest)), "signature_invalid");
  }
  assertEquals(codeOf(await send(request)), "ok");
  assertEquals(codeOf(await send(request)), "nonce_reused");
});

test("a header that nothing here reads is refused too when it comes twice", async () => {
  const headers = [...ordering.headers, ["X-Whatever", "a"], ["x-whatever", "b"]] as const;
  assertEquals(codeOf(await send({ ...ordering, headers })), "duplicate_header");
});

test("a target that is not a path is refused, and the answer has a request id (F64)", async () => {
  for (const target of ["*", "v1/orders", "https://sabika.test/v1/orders"]) {
    const answer = await send(await signed(bank, target, token, "{}"));
    assert([400, 404].includes(answer.status), `${target} ${answer.status}`);
    assert(answer.headers.has("x-request-id"), target);
  }
});
