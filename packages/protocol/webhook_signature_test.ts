import { test } from "node:test";
import { assert, assertEquals, assertRejects } from "@std/assert";
import fc from "fast-check";
import { Webhook } from "standardwebhooks";
import {
  formatWebhookSecret,
  parseWebhookSecret,
  signWebhook,
  verifyWebhook,
  type WebhookRefusal,
} from "./mod.ts";

const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const OTHER = formatWebhookSecret(new Uint8Array(32).fill(7));
const ID = "evt_01935a5c-7c00-7abc-8def-0123456789ab";
const NOW = 1795167000;
const BODY = '{"type":"order.executed","note":"\u{1f947}"}';

async function delivery(change: Record<string, string> = {}) {
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
    ...change,
  }));
  return { secrets: [SECRET], headers, body: BODY, nowSeconds: NOW };
}

test("signWebhook() gives Standard Webhooks' own example", async () => {
  // The vector of the reference libraries' tests.
  const signature = await signWebhook({
    secrets: [SECRET],
    id: "msg_p5jXN8AQM9LWM0D4loKWxJek",
    timestampSeconds: 1614265330,
    body: '{"test": 2432232314}',
  });
  assertEquals(signature, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
});

test("signWebhook() and the standardwebhooks package write the same", async () => {
  const secrets = fc.uint8Array({ minLength: 24, maxLength: 64 }).map(formatWebhookSecret);
  const texts = fc.string({ unit: "grapheme" });
  await fc.assert(
    fc.asyncProperty(
      secrets,
      fc.uuid(),
      fc.integer({ min: 1, max: 2 ** 32 }),
      texts,
      async (secret, id, seconds, body) => {
        const theirs = new Webhook(secret).sign(id, new Date(seconds * 1000), body);
        const ours = { secrets: [secret], id, timestampSeconds: seconds };
        assertEquals(await signWebhook({ ...ours, body }), theirs);
        const bytes = new TextEncoder().encode(body);
        assertEquals(await signWebhook({ ...ours, body: bytes }), theirs);
      },
    ),
    { numRuns: 50 },
  );
});

test("the standardwebhooks package verifies what signWebhook() makes", async () => {
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

test("during a rotation there is a signature for each secret, and either verifies", async () => {
  const signature = await signWebhook({
    secrets: [OTHER, SECRET],
    id: ID,
    timestampSeconds: NOW,
    body: BODY,
  });
  assertEquals(signature.split(" ").length, 2);
  for (const secrets of [[SECRET], [OTHER], [OTHER, SECRET]]) {
    const request = await delivery({ "webhook-signature": signature });
    assertEquals(await verifyWebhook({ ...request, secrets }), { ok: true });
  }
});

test("verifyWebhook() takes bytes, and signatures of versions it does not know beside its own", async () => {
  const request = await delivery();
  const signature = request.headers.get("webhook-signature")!;
  request.headers.set("webhook-signature", `v1a,AAAA v2,x ${signature} v1,`);
  const body = new TextEncoder().encode(BODY);
  assertEquals(await verifyWebhook({ ...request, body }), { ok: true });
});

test("verifyWebhook() works on the Headers of a request", async () => {
  const request = await delivery();
  assertEquals(await verifyWebhook({ ...request, headers: new Headers([...request.headers]) }), {
    ok: true,
  });
});

// F80 of the fault catalogue, and more.
const HEADERS: readonly (readonly [string, Record<string, string>, WebhookRefusal])[] = [
  ["another id", { "webhook-id": "evt_2" }, "signature_mismatch"],
  ["another timestamp", { "webhook-timestamp": String(NOW + 1) }, "signature_mismatch"],
  ["no id", { "webhook-id": "" }, "header_missing"],
  ["no timestamp", { "webhook-timestamp": "" }, "header_missing"],
  ["no signature", { "webhook-signature": "" }, "header_missing"],
  ["a timestamp that is no number", { "webhook-timestamp": "now" }, "timestamp_invalid"],
  ["a timestamp with a fraction", { "webhook-timestamp": `${NOW}.5` }, "timestamp_invalid"],
  ["another version alone", { "webhook-signature": "v2,AAAA" }, "signature_mismatch"],
  ["an empty signature", { "webhook-signature": "v1," }, "signature_mismatch"],
  ["a signature that is no base64", { "webhook-signature": "v1,***" }, "signature_mismatch"],
];
for (const [name, change, reason] of HEADERS) {
  test(`verifyWebhook() refuses ${name}`, async () => {
    assertEquals(await verifyWebhook(await delivery(change)), { ok: false, reason });
  });
}

test("verifyWebhook() refuses another body, another secret and no secret", async () => {
  const request = await delivery();
  const refused = { ok: false, reason: "signature_mismatch" } as const;
  assertEquals(await verifyWebhook({ ...request, body: `${BODY} ` }), refused);
  assertEquals(await verifyWebhook({ ...request, secrets: [OTHER] }), refused);
  assertEquals(await verifyWebhook({ ...request, secrets: [] }), refused);
});

for (const [age, accepted] of [[-301, 0], [-300, 1], [300, 1], [301, 0]] as const) {
  test(`an event of ${age} s ago is ${accepted ? "taken" : "refused"}`, async () => {
    const verification = await verifyWebhook({ ...await delivery(), nowSeconds: NOW + age });
    assertEquals(
      verification,
      accepted ? { ok: true } : { ok: false, reason: "timestamp_out_of_window" },
    );
  });
}

test("the tolerance can be set", async () => {
  const request = { ...await delivery(), nowSeconds: NOW + 301 };
  assert((await verifyWebhook({ ...request, toleranceSeconds: 301 })).ok);
});

test("a secret is whsec_ and padded base64", async () => {
  assertEquals(parseWebhookSecret(OTHER), new Uint8Array(32).fill(7));
  for (const secret of ["", "whsec_", OTHER.slice(6), "whsec_***", OTHER.replace("=", "")]) {
    assertEquals(parseWebhookSecret(secret), undefined);
    const webhook = { secrets: [secret], id: ID, timestampSeconds: NOW, body: BODY };
    await assertRejects(() => signWebhook(webhook), TypeError, "whsec_");
  }
});
