import { after, test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { addAddress, setPartnerStatus, updatePartner } from "@sabika/office/partners";
import { createFixedPrice, type PriceSource } from "@sabika/service/prices";
import { type RawRequest, sendRaw } from "../../../test/support/raw_https.ts";
import { codeOf, objectOf } from "../../../test/support/answers.ts";
import { read, signed, tokenRequest, write } from "../../../test/support/service_requests.ts";
import { type ServicePartner } from "../../../test/support/service_partner.ts";
import { countRows, startTestService } from "../../../test/support/test_service.ts";

// Refusals of Decision D32 that pass: something has run out, or the operator has set a limit.

const fixed = createFixedPrice({ midTenThousandths: 4_000_000n });
let hasPrice = true;
const prices: PriceSource = {
  latest: (nowMs) => hasPrice ? fixed.latest(nowMs) : { ok: false, code: "price_unavailable" },
};
const service = await startTestService({ prices });
after(service.close);
const [bank] = service.partners;
const token = await service.token(bank);
const send = (request: RawRequest, as: ServicePartner = bank) =>
  sendRaw(service.caller(as), request);

/** Admits a partner, with 100 kg of gold by default, and makes the operator's changes to it. */
async function admit(
  clientId: string,
  update?: Parameters<typeof updatePartner>[2],
  gold?: bigint,
) {
  const partner = await service.admit(clientId, gold);
  if (update !== undefined) await updatePartner(service.admin, clientId, update);
  await service.refresh();
  return { partner, bearer: await service.token(partner) };
}

test("an empty allocation gives 503 inventory_unavailable, and /health stays good", async () => {
  const { partner: poor, bearer } = await admit("bank-poor", undefined, 0n);
  await send(write("/sandbox/fund", bearer, '{"amount_sar":10000}'), poor);
  const quoted = await send(write("/v1/quotes", bearer, '{"side":"buy","gold_grams":1}'), poor);
  const body = `{"quote_id":"${objectOf(quoted).get("id")}"}`;
  for (let n = 0; n < 5; n++) {
    const answer = await send(await signed(poor, "/v1/orders", bearer, body), poor);
    assertEquals([answer.status, codeOf(answer)], [503, "inventory_unavailable"], answer.body);
  }
  assertEquals((await send(read("/health", token))).status, 200);
});

test("no current price gives 503 price_unavailable, and /health reports it", async () => {
  hasPrice = false;
  const price = await send(read("/v1/prices", token));
  const quoted = await send(write("/v1/quotes", token, '{"side":"buy","gold_grams":1}'));
  const health = await send(read("/health", token));
  hasPrice = true;
  assertEquals([price.status, codeOf(price)], [503, "price_unavailable"]);
  assertEquals([quoted.status, codeOf(quoted)], [503, "price_unavailable"]);
  assert(price.headers.has("retry-after") && quoted.headers.has("retry-after"));
  assertEquals([health.status, health.body], [503, '{"status":"unavailable"}']);
});

test("open quotes and request rates beyond a partner's limits give 429 with Retry-After", async () => {
  const { partner: limited, bearer } = await admit("bank-limited", {
    openQuotesLimit: 2,
    rateLimits: { read: { perSecond: 0.01, burst: 2 } },
  });
  const body = '{"side":"buy","gold_grams":1}';
  const codes: string[] = [];
  for (let n = 0; n < 3; n++) {
    const answer = await send(write("/v1/quotes", bearer, body), limited);
    codes.push(codeOf(answer));
    assertEquals(answer.headers.has("retry-after"), n === 2);
  }
  assertEquals(codes, ["ok", "ok", "too_many_open_quotes"]);

  const reads = [];
  for (let n = 0; n < 3; n++) reads.push(await send(read("/v1/balances", bearer), limited));
  assertEquals(reads.map(codeOf), ["ok", "ok", "rate_limited"]);
  assertEquals(reads[2]!.headers.get("retry-after"), "100");
  assertEquals(reads[2]!.headers.get("ratelimit"), '"read";r=0;t=200');
  assertEquals(reads[2]!.headers.get("ratelimit-policy"), '"read";q=2;w=200');
  // The other classes and the other partners go on.
  assertEquals(
    (await send(write("/sandbox/fund", bearer, '{"amount_sar":1}'), limited)).status,
    201,
  );
  assertEquals((await send(read("/v1/balances", token))).status, 200);
});

test("signed requests beyond the nonces of a day give 429 too_many_signed_requests", async () => {
  const { partner: busy, bearer } = await admit("bank-busy", {
    rateLimits: { nonces: { perSecond: 0.01, burst: 2 } },
  });
  const probe = async (key = busy.signingKey) =>
    await send(await signed(busy, "/v1/signed-probe", bearer, "{}", { key }), busy);
  // A wrong signature spends no nonce, so it takes no room either.
  assertEquals(codeOf(await probe(bank.signingKey)), "signature_invalid");
  assertEquals([codeOf(await probe()), codeOf(await probe())], ["ok", "ok"]);
  const before = await countRows(service);
  const refused = await probe();
  assertEquals([refused.status, codeOf(refused)], [429, "too_many_signed_requests"]);
  assertEquals(refused.headers.get("retry-after"), "100");
  assertEquals(await countRows(service), before);
  // Requests without a signature still work.
  assertEquals(codeOf(await send(read("/v1/balances", bearer), busy)), "ok");
});

test("a suspended partner gets 403 until it is resumed", async () => {
  const { partner, bearer } = await admit("bank-suspended");
  await setPartnerStatus(service.admin, "bank-suspended", "suspended");
  await service.refresh();
  const answer = await send(read("/v1/balances", bearer), partner);
  assertEquals([answer.status, codeOf(answer)], [403, "partner_suspended"]);
  // The token endpoint says so in its own form, whatever the secret is, and the log names the partner.
  for (const secret of [partner.kit.clientSecret, "wrong"]) {
    const lines = service.logged.length;
    const refused = await send(tokenRequest(partner, { client_secret: secret }), partner);
    const { error, error_description } = JSON.parse(refused.body);
    assertEquals([refused.status, error], [400, "unauthorized_client"]);
    assertEquals(error_description, "partner_suspended: The partner is suspended.");
    // The audit log's new head may be reported meanwhile.
    const logged = service.logged.slice(lines);
    const line = logged.find((text) => text.includes("info request ")) ?? logged.join("\n");
    for (const word of ['"code":"partner_suspended"', '"partner":"bank-suspended"']) {
      assert(line.includes(word), line);
    }
  }
  await setPartnerStatus(service.admin, "bank-suspended", "active");
  await service.refresh();
  assertEquals((await send(read("/v1/balances", bearer), partner)).status, 200);
});

test("an address that is not registered gets 403 ip_not_allowed", async () => {
  const { partner, bearer } = await admit("bank-elsewhere");
  await addAddress(service.admin, "bank-elsewhere", "203.0.113.0/24");
  await service.refresh();
  const request = read("/v1/balances", bearer);
  const forged = {
    ...request,
    headers: [...request.headers, ["X-Forwarded-For", "203.0.113.7"]],
  } as const;
  for (const sent of [request, forged]) {
    const answer = await send(sent, partner);
    assertEquals([answer.status, codeOf(answer)], [403, "ip_not_allowed"]);
  }
  await addAddress(service.admin, "bank-elsewhere", "127.0.0.1");
  await service.refresh();
  assertEquals((await send(request, partner)).status, 200);
});

test("a quote whose 60 seconds are over gives 409 quote_expired", async () => {
  const quoted = await send(write("/v1/quotes", token, '{"side":"buy","gold_grams":1}'));
  const order = () =>
    signed(bank, "/v1/orders", token, `{"quote_id":"${objectOf(quoted).get("id")}"}`);
  service.clock.offsetMs = 60_001;
  const answer = await send(await order());
  service.clock.offsetMs = 0;
  assertEquals([answer.status, codeOf(answer)], [409, "quote_expired"], answer.body);
  const meta = objectOf(answer).get("meta") as ReadonlyMap<string, unknown>;
  assertEquals([...meta.keys()], ["expired_at", "server_time"]);
});
