import { after, test } from "node:test";
import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { request } from "node:https";
import { connect } from "node:tls";
import { assertEquals } from "@std/assert";
import { revokePartnerToken } from "@sabika/office/partners";
import { codeOf } from "../../../test/support/answers.ts";
import { sendRaw } from "../../../test/support/raw_https.ts";
import type { ServicePartner } from "../../../test/support/service_partner.ts";
import { read, write } from "../../../test/support/service_requests.ts";
import { startTestService } from "../../../test/support/test_service.ts";
import { until } from "../../../test/support/until.ts";

// Server-sent events (Decision D78): what a stream carries, and what ends it.

const service = await startTestService();
after(service.close);
const [bank, other] = service.partners;
const token = await service.token(bank);
const fund = (as: ServicePartner, bearer: string) =>
  sendRaw(service.caller(as), write("/sandbox/fund", bearer, '{"amount_sar":5}'));
for (let n = 0; n < 3; n++) await fund(bank, token);

/** A stream as its caller sees it. */
interface Seen {
  readonly answer: IncomingMessage;
  text: string;
  isOver: boolean;
}

async function open(
  query: string,
  headers: Record<string, string> = {},
  { partner = bank, bearer = token, port = service.ports[0]! } = {},
): Promise<Seen> {
  const { caPem: ca, certificatePem: cert, keyPem: key } = service.caller(partner);
  const sent = request({
    host: "127.0.0.1",
    port,
    path: `/v1/events/stream${query}`,
    ca,
    cert: cert!,
    key: key!,
    headers: { authorization: `Bearer ${bearer}`, ...headers },
    agent: false,
  }).end();
  const [answer] = await once(sent, "response") as [IncomingMessage];
  const seen: Seen = { answer, text: "", isOver: false };
  answer.on("data", (chunk) => seen.text += chunk).on("error", () => {});
  answer.on("close", () => seen.isOver = true);
  return seen;
}

const ids = (text: string) => [...text.matchAll(/^id: (.*)$/gm)].map(([, id]) => Number(id));
const endsWith = (seen: Seen, code: string) =>
  until(() => seen.isOver && seen.text.endsWith(`event: end\ndata: {"code":"${code}"}\n\n`));

test("a stream carries the stored events and then each new one, in the form of webhooks", async () => {
  const seen = await open("?after_sequence=1");
  assertEquals([seen.answer.statusCode, seen.answer.headers["content-type"]], [
    200,
    "text/event-stream",
  ]);
  await until(() => ids(seen.text).length === 2);
  await fund(bank, token);
  await until(() => ids(seen.text).length === 3);
  assertEquals(ids(seen.text), [2, 3, 4]);
  const events = [...seen.text.matchAll(/^data: (.*)$/gm)].map(([, json]) => JSON.parse(json!));
  const listed = JSON.parse(
    (await sendRaw(service.caller(bank), read("/v1/events?after_sequence=1", token))).body,
  ).data;
  for (const event of listed) delete event.delivery;
  assertEquals(events, listed);

  const resumed = await open("?after_sequence=0", { "last-event-id": "3" });
  await until(() => ids(resumed.text).length === 1);
  assertEquals(ids(resumed.text), [4]);
  service.clock.offsetMs += 15_000;
  const quiet = resumed.text.length;
  await until(() => resumed.text.length > quiet);
  assertEquals(resumed.text.slice(quiet), ":\n\n");
  for (const stream of [seen, resumed]) stream.answer.destroy();
});

test("a stream without a valid start is refused, and so is an eleventh stream", async () => {
  const refused = async (query: string, headers: Record<string, string> = {}) =>
    codeOf(
      await sendRaw(service.caller(bank), {
        ...read(`/v1/events/stream${query}`, token),
        headers: [...read("/", token).headers, ...Object.entries(headers)],
      }),
    );
  const queries = ["", "?after_sequence=", "?after_sequence=-1", "?limit=1", "?after_sequence=1&x"];
  for (const query of queries) {
    assertEquals(await refused(query), "invalid_request", query);
  }
  assertEquals(await refused("?after_sequence=0", { "last-event-id": "x" }), "invalid_request");
  const ten: Seen[] = [];
  await until(async () => {
    const seen = await open("?after_sequence=99");
    if (seen.answer.statusCode === 200) ten.push(seen);
    return ten.length === 10;
  });
  assertEquals(await refused("?after_sequence=0"), "rate_limited");
  for (const stream of ten) stream.answer.destroy();
  await until(async () => {
    const seen = await open("?after_sequence=99");
    seen.answer.destroy();
    return seen.answer.statusCode === 200;
  });
});

test("a stream ends when its token expires or is revoked, or its certificate is revoked", async () => {
  const early = await service.token(bank);
  const first = await open("?after_sequence=99", {}, { bearer: early });
  service.clock.offsetMs += 601_000;
  await endsWith(first, "token_expired");

  const bearer = await service.token(bank);
  const second = await open("?after_sequence=99", {}, { bearer });
  const { jti } = JSON.parse(atob(bearer.split(".")[1]!.replace(/-/g, "+").replace(/_/g, "/")));
  await revokePartnerToken(service.admin, bank.kit.clientId, jti);
  await endsWith(second, "token_invalid");

  const third = await open("?after_sequence=0", {}, {
    partner: other,
    bearer: await service.token(other),
  });
  await service.revokeCertificate(other);
  await endsWith(third, "client_certificate_unknown");
  assertEquals(ids(third.text), []);
});

test("a caller who reads nothing is cut off when the credentials end", async () => {
  service.clock.offsetMs = 0;
  const partner = await service.admit("bank-slow");
  await service.test.database.sql`
    with slow as (select partner_id from partners where client_id = 'bank-slow'),
    written as (
      insert into events (partner_id, sequence, event_id, created_at, type, object)
      select partner_id, n, gen_random_uuid(), now(), 'ping', '{"n":"' || repeat('x', 20000) || '"}'
      from slow, generate_series(1, 1000) n)
    update accounts set last_event = 1000 from slow where accounts.partner_id = slow.partner_id`;
  const bearer = await service.token(partner);
  const { caPem: ca, certificatePem: cert, keyPem: key } = service.caller(partner);
  // A bare connection that nobody reads from, since an HTTP client would read ahead.
  const socket = connect({
    host: "127.0.0.1",
    port: service.ports[0]!,
    ca,
    cert: cert!,
    key: key!,
  });
  await once(socket, "secureConnect");
  socket.write(
    `GET /v1/events/stream?after_sequence=0 HTTP/1.1\r\nHost: localhost\r\n` +
      `Authorization: Bearer ${bearer}\r\nConnection: close\r\n\r\n`,
  );
  await until(async () => await service.metric("sabika_event_streams") === 1);
  service.clock.offsetMs += 601_000;
  await until(async () => await service.metric("sabika_event_streams") === 0);
  socket.destroy();
});

test("an instance that stops ends its streams first", async () => {
  const log: string[] = [];
  const instance = service.createInstance((_level, event) => void log.push(event));
  const { port } = await instance.start();
  const seen = await open("?after_sequence=99", {}, {
    port: port!,
    bearer: await service.token(bank),
  });
  await instance.stop();
  await endsWith(seen, "service_unavailable");
});
