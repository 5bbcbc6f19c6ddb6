import { createHash } from "node:crypto";
import { after, test } from "node:test";
import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { exportJWK, flattenedVerify, importJWK, importPKCS8 } from "jose";
import { issueCertificate } from "@sabika/office/partners";
import { type RawRequest, sendRaw } from "../../../test/support/raw_https.ts";
import { makeSigningRequest } from "../../../test/support/test_request.ts";
import { codeOf, objectOf } from "../../../test/support/answers.ts";
import { read, signed, write } from "../../../test/support/service_requests.ts";
import { type ServicePartner } from "../../../test/support/service_partner.ts";
import { countRows, startTestService } from "../../../test/support/test_service.ts";

// Faults F37 to F42: what a repeated Idempotency-Key gets.

const service = await startTestService();
after(service.close);
const [bank, other] = service.partners;
const token = await service.token(bank);
const otherToken = await service.token(other);
const send = async (request: RawRequest | Promise<RawRequest>, as: ServicePartner = bank) =>
  await sendRaw(service.caller(as), await request);
const newKey = () => ({ "Idempotency-Key": crypto.randomUUID() });
const RANGE = '{"from_sequence":1,"to_sequence":2}';
const IBANS = ["SA4420000001234567891234", "SA0380000000608010167519"];
const BUY = '{"side":"buy","gold_grams":1}';

await service.test.database.sql`update partners set webhook_url = 'https://127.0.0.1:9443/'`;
await send(write("/sandbox/fund", token, '{"amount_sar":10000}'));
await send(write("/sandbox/fund", otherToken, '{"amount_sar":10000}'), other);

test("each write gives 201, then 200 with the same bytes, also under new terms of the partner", async () => {
  const { sql } = service.test.database;
  const quoteId = objectOf(await send(write("/v1/quotes", token, BUY))).get("id");
  const pending = await send(signed(bank, "/v1/withdrawals", token, '{"amount_sar":5}'));
  const cancel = `/v1/withdrawals/${objectOf(pending).get("id") as string}/cancel`;
  const [event] = JSON.parse((await send(read("/v1/events", token))).body).data;
  const redeliver = `/v1/events/${event.id}/redeliver`;
  const requests: ((headers: Record<string, string>) => RawRequest | Promise<RawRequest>)[] = [
    (headers) => write("/sandbox/fund", token, '{"amount_sar":5}', headers),
    (headers) => write("/v1/quotes", token, BUY, headers),
    (headers) => signed(bank, "/v1/orders", token, `{"quote_id":"${quoteId}"}`, { headers }),
    (headers) => signed(bank, "/v1/withdrawals", token, '{"amount_sar":5}', { headers }),
    (headers) => signed(bank, cancel, token, "{}", { headers }),
    (headers) => signed(bank, "/v1/webhook/enable", token, "{}", { headers }),
    (headers) => write(redeliver, token, "", headers),
    (headers) => write("/v1/events/redeliver", token, RANGE, headers),
  ];
  for (const [n, request] of requests.entries()) {
    const headers = newKey();
    const first = await send(request(headers));
    const before = await countRows(service);
    const iban = IBANS[n % 2]!;
    await sql`update partners set settlement_iban = ${iban}, spread_ppm = spread_ppm + 1000,
      fee_ppm = fee_ppm + 1000, vat_ppm = vat_ppm + 1000`;
    const second = await send(request(headers));
    const third = await send(request(headers));
    const done = n < 6 ? 201 : 202;
    assertEquals([first.status, second.status, third.status], [done, 200, 200]);
    assertEquals([second.body, third.body], [first.body, first.body]);
    assertEquals(first.headers.has("idempotent-replayed"), false);
    assertEquals(second.headers.get("idempotent-replayed"), "true");
    assertEquals({ ...await countRows(service), nonces: 0 }, { ...before, nonces: 0 });
  }
});

test("a read refuses a query that it does not have, as lists do", async () => {
  const paths = [
    "balances?as_of=2026-11-20",
    "me?",
    "me?x",
    "orders/ord_1?a=1",
    "prices?&",
    "statements/2026-11-20?x=1",
  ];
  for (const path of paths) {
    const answer = await send(read(`/v1/${path}`, token));
    assertEquals(
      path.endsWith("?") ? answer.status : codeOf(answer),
      path.endsWith("?") ? 200 : "invalid_request",
      path,
    );
  }
});

test("what a partner signed is kept word for word, and verifies with jose alone", async () => {
  const quoteId = objectOf(await send(write("/v1/quotes", token, BUY))).get("id");
  const order = await signed(
    bank,
    "/v1/orders",
    token,
    `{ "client_reference":"سبيكة \\u00e9", "quote_id":"${quoteId}"}`,
    { keyId: bank.kit.signingKeyId! },
  );
  const withdrawal = await signed(bank, "/v1/withdrawals", token, '{"amount_sar":7}', {
    url: "/v1/withdrawals",
  });
  const orderId = objectOf(await send(order)).get("id") as string;
  const withdrawalId = objectOf(await send(withdrawal)).get("id") as string;
  const cancelPath = `/v1/withdrawals/${withdrawalId}/cancel`;
  const cancel = await signed(bank, cancelPath, token, " {}");
  assertEquals((await send(cancel)).status, 201);
  const evidence = [];
  for (const path of [`orders/${orderId}`, `withdrawals/${withdrawalId}`]) {
    const target = `/v1/${path}/evidence`;
    assertEquals(codeOf(await send(read(target, otherToken), other)), "not_found");
    const { id, requests } = JSON.parse((await send(read(target, token))).body);
    assertEquals(path.endsWith(id), true);
    evidence.push(...requests);
  }
  assertEquals(evidence.length, 3);
  for (const [n, sent] of [order, withdrawal, cancel].entries()) {
    const headers = new Map(sent.headers);
    const url = n === 1 ? sent.target : `https://sabika.test${sent.target}`;
    const { key_id, ...kept } = evidence[n];
    assertEquals(kept, {
      timestamp: Number(headers.get("x-timestamp")),
      nonce: headers.get("x-nonce"),
      method: "POST",
      url,
      body: new TextDecoder().decode(sent.body),
      signature: headers.get("x-jws-signature"),
    });
    assertEquals(key_id, bank.kit.signingKeyId);
    const hash = createHash("sha256").update(kept.body).digest("hex");
    const [protectedHeader, signature] = kept.signature.split("..");
    const jws = (payload: string) => ({ protected: protectedHeader, signature, payload });
    const lines = (url: string) => ["POST", url, hash, kept.timestamp, kept.nonce].join("\n");
    const options = { crit: { b64: true } };
    const key = await importPKCS8(bank.kit.signingKeyPem!, "ES256", { extractable: true });
    const { d: _, ...publicJwk } = await exportJWK(key);
    const publicKey = await importJWK(publicJwk, "ES256");
    await flattenedVerify(jws(lines(url)), publicKey, options);
    await assertRejects(() => flattenedVerify(jws(lines(`${url}/`)), publicKey, options));
  }
});

test("a partner enables its own endpoint, signed, unless the operator disabled it", async () => {
  const { sql } = service.test.database;
  const path = "/v1/webhook/enable";
  const disable = (reason: string) =>
    sql`update webhook_lanes set disabled_at = now(), disabled_reason = ${reason}
      from partners p where p.partner_id = webhook_lanes.partner_id
        and p.client_id = ${bank.clientId}`;
  const webhook = async () => JSON.parse((await send(read("/v1/me", token))).body).webhook;
  await disable("HTTP 410");
  assertEquals([(await webhook()).status, (await webhook()).disabled_by], ["disabled", "endpoint"]);
  assertEquals(codeOf(await send(write(path, token, "{}"))), "timestamp_invalid");
  assertEquals((await webhook()).status, "disabled");
  const headers = newKey();
  const enabled = await send(signed(bank, path, token, "{}", { headers }));
  assertEquals(enabled.status, 201);
  const { ping_id } = JSON.parse(enabled.body);
  assertEquals(JSON.parse((await send(read(`/v1/events/${ping_id}`, token))).body).type, "ping");
  assertEquals((await webhook()).status, "healthy");
  const quote = await send(write("/v1/quotes", token, BUY, headers));
  assertEquals(codeOf(quote), "idempotency_key_conflict");

  await disable("operator");
  assertEquals(codeOf(await send(signed(bank, path, token, "{}"))), "not_found");
  assertEquals((await webhook()).disabled_by, "operator");
  // What was answered before is answered again.
  const again = await send(signed(bank, path, token, "{}", { headers }));
  assertEquals([again.status, again.body], [200, enabled.body]);
  assertEquals((await webhook()).status, "disabled");
  const wrong = await send(signed(bank, path, token, '{"url":"https://x.example"}'));
  assertEquals(codeOf(wrong), "invalid_request");
});

test("a redelivery needs its own key and a range that exists", async () => {
  const range = (from: number, to: number, headers = newKey()) =>
    send(
      write(
        "/v1/events/redeliver",
        token,
        `{"from_sequence":${from},"to_sequence":${to}}`,
        headers,
      ),
    );
  const { body } = await range(1, 3);
  assertEquals(JSON.parse(body), {
    from_sequence: 1,
    to_sequence: 3,
    count: 3,
    status: "pending",
  });
  assertEquals(codeOf(await range(1, 1001)), "invalid_request");
  const headers = newKey();
  assertEquals((await range(1, 1, headers)).status, 202);
  assertEquals(codeOf(await range(1, 2, headers)), "idempotency_key_conflict");
  const quote = await send(write("/v1/quotes", token, BUY, headers));
  assertEquals(codeOf(quote), "idempotency_key_conflict");
  assertMatch(JSON.parse(quote.body).meta.resource_id, /^evt_/);
  const [{ id }] = JSON.parse((await send(read("/v1/events", token))).body).data;
  for (const target of [`/v1/events/${id}/redeliver`, "/v1/events/redeliver"]) {
    const unkeyed = write(target, token, RANGE);
    const keyless = unkeyed.headers.filter(([name]) => name !== "Idempotency-Key");
    assertEquals(codeOf(await send({ ...unkeyed, headers: keyless })), "idempotency_key_missing");
    assertEquals(
      codeOf(await send(write(target, token, RANGE, headers))),
      "idempotency_key_conflict",
    );
  }
  const strange = write(`/v1/events/${id}/redeliver`, otherToken, "", headers);
  assertEquals(codeOf(await send(strange, other)), "not_found");
});

test("parameters written differently are the same; different ones are a conflict (F37)", async () => {
  const headers = newKey();
  const quote = (body: string, target = "/v1/quotes") => send(write(target, token, body, headers));
  const first = await quote('{"side":"buy","gold_grams":1}');
  const again = await quote(' {\n"gold_grams" : 1.0,\t"s\\u0069de":"buy" }\r\n');
  assertEquals([again.status, again.body], [200, first.body]);
  const id = objectOf(first).get("id");
  const cases = [
    ['{"side":"buy","gold_grams":1.0001}', "/v1/quotes"],
    ['{"side":"buy","gold_grams":1}', "/v1/quotes?x=1"],
    ['{"amount_sar":1}', "/sandbox/fund"],
  ];
  for (const [body, target] of cases) {
    const conflict = await quote(body!, target);
    assertEquals([conflict.status, codeOf(conflict)], [409, "idempotency_key_conflict"]);
    const meta = objectOf(conflict).get("meta") as ReadonlyMap<string, unknown>;
    assertEquals(meta.get("resource_id"), id);
  }
});

test("the same key of two partners is two keys (F38)", async () => {
  const headers = newKey();
  const bankAnswer = await send(write("/v1/quotes", token, BUY, headers));
  const otherAnswer = await send(write("/v1/quotes", otherToken, BUY, headers), other);
  assertEquals([bankAnswer.status, otherAnswer.status], [201, 201]);
  assertEquals(objectOf(bankAnswer).get("id") === objectOf(otherAnswer).get("id"), false);
});

test("a replay outlives the quote, the balance and the token (F39)", async () => {
  const quoteId = objectOf(await send(write("/v1/quotes", token, BUY))).get("id");
  const headers = newKey();
  const body = `{"quote_id":"${quoteId}"}`;
  const first = await send(signed(bank, "/v1/orders", token, body, { headers }));
  assertEquals(first.status, 201);
  service.clock.offsetMs = 240_000;
  const newToken = await service.token(bank);
  const again = await send(signed(bank, "/v1/orders", newToken, body, { headers }));
  service.clock.offsetMs = 0;
  assertEquals([again.status, again.body], [200, first.body]);
});

test("a replay outlives the certificate that the first request came with (F39)", async () => {
  const rotating = await service.admit("bank-rotating");
  await service.refresh();
  const firstToken = await service.token(rotating);
  await send(write("/sandbox/fund", firstToken, '{"amount_sar":10000}'), rotating);
  const quoteId = objectOf(await send(write("/v1/quotes", firstToken, BUY), rotating)).get("id");
  const headers = newKey();
  const body = `{"quote_id":"${quoteId}"}`;
  const order = (as: ServicePartner, withToken: string) =>
    send(signed(as, "/v1/orders", withToken, body, { headers }), as);
  const first = await order(rotating, firstToken);
  assertEquals(first.status, 201, first.body);

  await service.revokeCertificate(rotating);
  const { csr, keyPem } = await makeSigningRequest("bank-rotating");
  const issued = await issueCertificate(service.admin, "bank-rotating", csr);
  assert(issued.ok);
  await service.refresh();
  const kit = { ...rotating.kit, clientCertificatePem: issued.value.pem, clientKeyPem: keyPem };
  const rotated = { ...rotating, kit };
  assertEquals(codeOf(await order(rotating, firstToken)), "client_certificate_unknown");
  const again = await order(rotated, await service.token(rotated));
  assertEquals([again.status, again.body], [200, first.body]);
});

test("a key whose first use was refused is free (F41)", async () => {
  const headers = newKey();
  const refused = await send(signed(bank, "/v1/orders", token, '{"quote_id":"qt_x"}', { headers }));
  assertEquals(codeOf(refused), "quote_not_found");
  const bad = await send(signed(bank, "/v1/orders", token, "{}", { headers }));
  assertEquals(codeOf(bad), "invalid_request");
  const quoteId = objectOf(await send(write("/v1/quotes", token, BUY))).get("id");
  const body = `{"quote_id":"${quoteId}"}`;
  assertEquals((await send(signed(bank, "/v1/orders", token, body, { headers }))).status, 201);
});

test("a replay must pass the same checks as the first request (F42)", async () => {
  const quoteId = objectOf(await send(write("/v1/quotes", token, BUY))).get("id");
  const headers = newKey();
  const body = `{"quote_id":"${quoteId}"}`;
  const sent = await signed(bank, "/v1/orders", token, body, { headers });
  const first = await send(sent);
  assertEquals(first.status, 201);
  assertEquals(codeOf(await send(sent)), "nonce_reused");
  const forged = signed(bank, "/v1/orders", token, body, { headers, key: other.signingKey });
  assertEquals(codeOf(await send(forged)), "signature_invalid");
  assertEquals(codeOf(await send(sent, other)), "token_certificate_mismatch");
});
