import { test } from "node:test";
import { assert, assertEquals, assertRejects } from "@std/assert";
import fc from "fast-check";
import { Webhook } from "standardwebhooks";
import { formatWebhookSecret, signWebhook, verifyWebhook } from "./mod.ts";

const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const OTHER = formatWebhookSecret(new Uint8Array(32).fill(7));
const ID = "evt_01935a5c-7c00-7abc-8def-0123456789ab";
const NOW = 1795167000;
const BODY = '{"type":"order.executed","note":"\u{1f947}"}';

async function delivery() {
  const signature = await signWebhook({
    secrets: [SECRET],
    id: ID,
    timestampSeconds: NOW,
    body: BODY,
  });
  const headers = new Map(Object.entries({
    "webhook-id": ID,
    "webhook-timestamp": String(NOW),
    "webhook-signature": signature,
  }));
  return { secrets: [SECRET], headers, body: BODY, nowSeconds: NOW };
}

test("signWebhook() and the standardwebhooks package make the same signature", async () => {
  const secrets = fc.uint8Array({ minLength: 24, maxLength: 64 }).map(formatWebhookSecret);
  const texts = fc.string({ unit: "grapheme" });
  await fc.assert(
    fc.asyncProperty(
      secrets,
      fc.uuid(),
      fc.integer({ min: 1, max: 2 ** 32 }),
      texts,
      async (secret, id, seconds, body) => {
        const expected = new Webhook(secret).sign(id, new Date(seconds * 1000), body);
        const ours = { secrets: [secret], id, timestampSeconds: seconds };
        assertEquals(await signWebhook({ ...ours, body }), expected);
        const bytes = new TextEncoder().encode(body);
        assertEquals(await signWebhook({ ...ours, body: bytes }), expected);
      },
    ),
    { numRuns: 50 },
  );
});

test("the standardwebhooks package verifies signatures of signWebhook()", async () => {
  const seconds = Math.floor(Date.now() / 1000);
  const signature = await signWebhook({
    secrets: [OTHER, SECRET],
    id: ID,
    timestampSeconds: seconds,
    body: BODY,
  });
  const headers = {
    "webhook-id": ID,
    "webhook-timestamp": String(seconds),
    "webhook-signature": signature,
  };
  for (const secret of [SECRET, OTHER]) {
    assertEquals(new Webhook(secret).verify(BODY, headers), JSON.parse(BODY));
  }
});

test("verifyWebhook() accepts a body of bytes", async () => {
  const body = new TextEncoder().encode(BODY);
  assertEquals(await verifyWebhook({ ...await delivery(), body }), { ok: true });
});

test("verifyWebhook() accepts the Headers of a request", async () => {
  const request = await delivery();
  assertEquals(await verifyWebhook({ ...request, headers: new Headers([...request.headers]) }), {
    ok: true,
  });
});

test("the tolerance can be set", async () => {
  const request = { ...await delivery(), nowSeconds: NOW + 301 };
  assert((await verifyWebhook({ ...request, toleranceSeconds: 301 })).ok);
});

test("signWebhook() throws for a malformed secret", async () => {
  const webhook = { secrets: ["whsec_***"], id: ID, timestampSeconds: NOW, body: BODY };
  await assertRejects(() => signWebhook(webhook), TypeError, "whsec_");
});
