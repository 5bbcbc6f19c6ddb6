import { test } from "node:test";
import { Hono } from "hono";
import { assertEquals } from "@std/assert";
import { eventToJson, formatWebhookSecret, signWebhook } from "@sabika/protocol";
import { verifyWebhooks, type WebhookVariables } from "./hono.ts";
import { createWebhookHandler, createWebhookReceiver, seenInMemory } from "./mod.ts";
import type { ReceivedEvent } from "./mod.ts";

const secret = formatWebhookSecret(crypto.getRandomValues(new Uint8Array(32)));
const NOW = 1_800_000_000;
const ID = "evt_01932f0e-7c00-7000-8000-000000000001";
const BODY = eventToJson({
  id: ID,
  type: "ping",
  environment: "sandbox",
  sequence: 1,
  timestampMs: NOW * 1000,
  objectJson: "{}",
});

async function delivery(change: { id?: string; body?: string; timestampSeconds?: number } = {}) {
  const { id = ID, body = BODY, timestampSeconds = NOW } = change;
  const signature = await signWebhook({ secrets: [secret], id, timestampSeconds, body });
  const headers = new Headers({
    "webhook-id": id,
    "webhook-timestamp": String(timestampSeconds),
    "webhook-signature": signature,
  });
  return { headers, body };
}

function open(handle: (event: ReceivedEvent) => void | Promise<void> = () => {}) {
  const handled: string[] = [];
  const receive = createWebhookReceiver({
    secrets: [secret],
    now: () => NOW * 1000,
    handle: async (event) => {
      handled.push(event.id);
      await handle(event);
    },
  });
  return { receive, handled };
}

test("the receiver handles a genuine event once, however often it is delivered", async () => {
  const { receive, handled } = open();
  const good = await delivery();
  assertEquals(await receive(good), { status: 204 });
  const bytes = { ...good, body: new TextEncoder().encode(good.body) };
  assertEquals(await receive(bytes), { status: 204, reason: "seen_before" });
  assertEquals(await receive(await delivery({ timestampSeconds: NOW + 5 })), {
    status: 204,
    reason: "seen_before",
  });
  assertEquals(handled, [ID]);
});

test("the receiver reads headers as Node has them", async () => {
  const { receive, handled } = open();
  const { headers, body } = await delivery();
  assertEquals(await receive({ headers: Object.fromEntries(headers), body }), { status: 204 });
  assertEquals(await receive({ headers: {}, body }), { status: 401, reason: "header_missing" });
  assertEquals(handled, [ID]);
});

test("the receiver refuses a changed byte, a swapped id, and a time off by 301 s (F80)", async () => {
  const { receive, handled } = open();
  const good = await delivery();
  const withHeader = (name: string, value: string) => {
    const headers = new Headers(good.headers);
    headers.set(name, value);
    return { ...good, headers };
  };
  const changes = [
    { ...good, body: BODY.replace("ping", "pong") },
    withHeader("webhook-id", ID.replace(/1$/, "2")),
    withHeader("webhook-timestamp", String(NOW + 1)),
  ];
  for (const changed of changes) {
    assertEquals(await receive(changed), { status: 401, reason: "signature_mismatch" });
  }
  for (const skew of [-301, 301]) {
    const late = await delivery({ timestampSeconds: NOW + skew });
    assertEquals(await receive(late), { status: 401, reason: "timestamp_out_of_window" });
  }
  for (const skew of [-300, 300]) {
    assertEquals((await receive(await delivery({ timestampSeconds: NOW + skew }))).status, 204);
  }
  assertEquals(handled, [ID]);
});

test("the receiver refuses an event under another event's signed id", async () => {
  const { receive, handled } = open();
  const other = await delivery({ id: ID.replace(/1$/, "2") });
  assertEquals(await receive(other), { status: 400, reason: "id_mismatch" });
  assertEquals(await receive(await delivery({ body: "not JSON" })), {
    status: 400,
    reason: "body_unreadable",
  });
  assertEquals(handled, []);
});

test("the receiver answers with 500 when the handler fails, and handles the next delivery", async () => {
  let fails = true;
  const { receive, handled } = open(() => {
    if (fails) throw new Error("no disk");
  });
  assertEquals(await receive(await delivery()), { status: 500, reason: "handler_failed" });
  fails = false;
  assertEquals(await receive(await delivery()), { status: 204 });
  assertEquals(handled.length, 2);
});

test("two simultaneous deliveries of an event are handled once", async () => {
  let finish: () => void = () => {};
  const { receive, handled } = open(() => new Promise<void>((resolve) => finish = resolve));
  const good = await delivery();
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  const first = receive(good);
  while (handled.length === 0) await turn();
  // The fourth look at the headers comes after the signature was verified.
  let looks = 0;
  const headers = { get: (name: string) => (looks++, good.headers.get(name)) };
  const second = receive({ ...good, headers });
  while (looks < 4) await turn();
  await turn();
  assertEquals(handled, [ID]);
  finish();
  assertEquals((await Promise.all([first, second])).map(({ status }) => status), [204, 204]);
  assertEquals(handled, [ID]);
});

test("seenInMemory() forgets the oldest of more than ten thousand", async () => {
  const seen = seenInMemory();
  for (let n = 0; n <= 10_000; n++) await seen.add(`evt_${n}`);
  assertEquals([await seen.has("evt_0"), await seen.has("evt_1"), await seen.has("evt_10000")], [
    false,
    true,
    true,
  ]);
});

test("the handler of standard requests answers with the receiver's status", async () => {
  const handled: string[] = [];
  const handler = createWebhookHandler({
    secrets: [secret],
    now: () => NOW * 1000,
    handle: (event) => void handled.push(event.id),
  });
  const post = (webhook: { headers?: Headers; body: string }) =>
    new Request("https://bank.example/webhooks", { method: "POST", ...webhook });
  const statusOf = async (request: Request) => (await handler(request)).status;
  assertEquals(await statusOf(post(await delivery())), 204);
  assertEquals(await statusOf(post({ body: BODY })), 401);
  assertEquals(handled, [ID]);
});

test("the Hono middleware passes a genuine event on until a handler answers with 2xx", async () => {
  const handled: string[] = [];
  let status: 204 | 503 | undefined;
  const app = new Hono<{ Variables: WebhookVariables }>();
  app.onError((_, c) => c.body(null, 500));
  app.post("/", verifyWebhooks({ secrets: [secret], now: () => NOW * 1000 }), async (c) => {
    if (status === undefined) throw new Error("the database is down");
    handled.push(c.get("event").id, (await c.req.json()).id);
    return c.body(null, status);
  });
  const post = async (webhook: { headers?: Headers; body: string }) =>
    (await app.request("/", { method: "POST", ...webhook })).status;
  assertEquals(await post({ body: BODY }), 401);
  assertEquals([await post(await delivery()), handled], [500, []]);
  status = 503;
  assertEquals(await post(await delivery()), 503);
  status = 204;
  assertEquals([await post(await delivery()), await post(await delivery())], [204, 204]);
  assertEquals(handled, [ID, ID, ID, ID]);
});
