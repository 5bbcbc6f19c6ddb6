import { after, test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { type RawRequest, sendRaw } from "../../../test/support/raw_https.ts";
import { read, signed, tokenRequest, write } from "../../../test/support/service_requests.ts";
import { startTestService } from "../../../test/support/test_service.ts";

// Faults F71 and F72: nothing secret in answers and logs, and no forged line in the log.

const service = await startTestService();
after(service.close);
const [bank] = service.partners;
const token = await service.token(bank);
const send = async (request: RawRequest | Promise<RawRequest>) =>
  await sendRaw(service.caller(bank), await request);

/** Returns the secrets that the text contains. */
function secretsIn(text: string, secrets: readonly string[]): string[] {
  return secrets.filter((secret) => text.includes(secret));
}

test("no token, secret, signature, nonce, key or SQL is in an answer or a log line (F71)", async () => {
  const order = await signed(bank, "/v1/orders", token, '{"quote_id":"qt_secret_body"}', {
    headers: { "Idempotency-Key": "secret-idempotency-key" },
  });
  const headers = Object.fromEntries(order.headers);
  const secrets = [
    token,
    token.split(".")[2]!,
    bank.kit.clientSecret,
    bank.kit.webhookSecret,
    bank.kit.settlementIban,
    headers["x-jws-signature"]!,
    headers["x-nonce"]!,
    "secret-idempotency-key",
    "qt_secret_body",
    "BEGIN ",
    "select ",
    "insert ",
    "at file:",
  ];
  const bodies: string[] = [];
  const requests = [
    order,
    { ...order, body: new TextEncoder().encode("changed qt_secret_body") },
    read(`/v1/orders?cursor=${token}`, token),
    read(`/v1/orders/${token}`, token),
    read("/v1/balances", `${token}x`),
    write("/v1/quotes", token, `{"side":"${bank.kit.clientSecret}","gold_grams":1}`),
    write("/v1/quotes", token, bank.kit.clientSecret),
    tokenRequest(bank, { client_secret: `${bank.kit.clientSecret}x` }),
  ];
  for (const request of requests) {
    const answer = await send(request);
    assert(answer.status >= 400, answer.body);
    bodies.push(answer.body + JSON.stringify([...answer.headers]));
  }
  // The path is repeated in `instance`, but only to the caller.
  bodies.splice(3, 1);
  assertEquals(secretsIn(bodies.join("\n"), secrets), []);
  assertEquals(secretsIn(service.logged.join("\n"), secrets), []);
  // The search finds one that is there.
  assertEquals(secretsIn(`x${token}x`, secrets).length, 2);
});

test("line ends and terminal sequences from outside never reach the log unescaped (F72)", async () => {
  const evil = "\x1b[2J\x9b31m";
  const before = service.logged.length;
  await send({
    method: "GET",
    target: "/v1/balances",
    headers: [
      ["Host", "x"],
      ["User-Agent", evil],
      ["X-Request-Id", `${evil}forged`],
      ["Authorization", `Bearer ${evil}`],
      ["X-Forwarded-For", evil],
      ["Traceparent", evil],
    ],
  });
  await send(read(`/v1/balances?${"%0d%0aforged".repeat(3)}`, token));
  await send({ ...read("/v1/balances", token), method: "BREW" }).catch(() => {});
  const lines = service.logged.slice(before);
  assert(lines.length >= 2);
  for (const line of lines) {
    // deno-lint-ignore no-control-regex
    assert(!/[\x00-\x1f\x7f-\x9f]/.test(line) && !line.includes("forged"), line);
  }
});
