import {
  formatWebhookSecret,
  parseWebhookSecret,
  signWebhook,
  verifyWebhook,
  WEBHOOK_TOLERANCE_SECONDS,
} from "@sabika/protocol";
import type { VectorFile } from "./vector_file.ts";

const ID = "evt_01a1f85e-29a6-7440-a1da-ccc3cd98406e";
const SENT_AT = 1795167000;
const BODY = `{"id":"${ID}","type":"order.executed","api_version":"v1","environment":"sandbox",` +
  '"sequence":2,"timestamp":"2026-11-20T09:30:00.000Z",' +
  '"data":{"object":{"id":"ord_01a1f85e-29a6-7440-a1da-ccc3cd98406f","total_sar":1039.11}}}';
const SECRET = formatWebhookSecret(Uint8Array.from({ length: 32 }, (_, index) => index));
const NEXT_SECRET = formatWebhookSecret(Uint8Array.from({ length: 24 }, (_, index) => 255 - index));
const STRANGE_SECRET = formatWebhookSecret(new Uint8Array(32).fill(7));

/** What a receiver has, as far as it differs from a delivery that is right in everything. */
interface Change {
  readonly name: string;
  readonly secrets?: readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly now?: number;
}

/** webhook.json: signatures to make, and deliveries to accept or refuse. */
export async function webhookVectors(): Promise<VectorFile> {
  const signatures = [];
  for (
    const vector of [
      { name: "one secret", secrets: [SECRET], id: ID, timestampSeconds: SENT_AT, body: BODY },
      {
        name: "two secrets, during a rotation",
        secrets: [NEXT_SECRET, SECRET],
        id: ID,
        timestampSeconds: SENT_AT,
        body: BODY,
      },
      {
        name: "a body beyond ASCII",
        secrets: [SECRET],
        id: ID,
        timestampSeconds: SENT_AT,
        body: '{"note":"سبيكة \u{1f947}"}',
      },
      {
        name: "the example of Standard Webhooks",
        secrets: ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"],
        id: "msg_p5jXN8AQM9LWM0D4loKWxJek",
        timestampSeconds: 1614265330,
        body: '{"test": 2432232314}',
      },
    ]
  ) {
    const { name, secrets, id, timestampSeconds, body } = vector;
    const signature = await signWebhook(vector);
    signatures.push({ name, secrets, id, timestamp: timestampSeconds, body, signature });
  }
  const deliveries = [];
  for (const { name, ...change } of await changes()) {
    const delivery = { ...await rightDelivery(), ...change };
    const { secrets, headers, body, now } = delivery;
    const found = new Map(Object.entries(headers));
    const verified = await verifyWebhook({ secrets, headers: found, body, nowSeconds: now });
    const refusal = verified.ok ? null : verified.reason;
    deliveries.push({ name, secrets, headers, body, now, refusal });
  }
  const secrets = [SECRET, "", "whsec_", SECRET.slice(6), "whsec_***", SECRET.replace("=", "")];
  return {
    about: "Standard Webhooks: webhook-signature is v1, and base64 HMAC-SHA256 of " +
      "id.timestamp.body. deliveries: what a receiver with these secrets and this Unix time " +
      `(now, tolerance ${WEBHOOK_TOLERANCE_SECONDS} s) finds; refusal null is accepted.`,
    source: "Standard Webhooks; Decision D33",
    tolerance_seconds: WEBHOOK_TOLERANCE_SECONDS,
    signatures,
    deliveries,
    secrets: secrets.map((secret) => ({ secret, valid: parseWebhookSecret(secret) !== undefined })),
  };
}

async function rightDelivery() {
  const timestampSeconds = SENT_AT;
  const signature = await signWebhook({ secrets: [SECRET], id: ID, timestampSeconds, body: BODY });
  const headers = {
    "webhook-id": ID,
    "webhook-timestamp": String(SENT_AT),
    "webhook-signature": signature,
  };
  return { secrets: [SECRET] as readonly string[], headers, body: BODY, now: SENT_AT };
}

async function changes(): Promise<Change[]> {
  const { headers } = await rightDelivery();
  const withHeaders = (change: Record<string, string>) => ({ ...headers, ...change });
  const without = (name: string) =>
    Object.fromEntries(Object.entries(headers).filter(([header]) => header !== name));
  const one = headers["webhook-signature"];
  const signed = { id: ID, timestampSeconds: SENT_AT, body: BODY };
  const two = await signWebhook({ secrets: [NEXT_SECRET, SECRET], ...signed });
  const strange = await signWebhook({ secrets: [STRANGE_SECRET], ...signed });
  const rotating = withHeaders({ "webhook-signature": two });
  const signature = (text: string) => withHeaders({ "webhook-signature": text });
  return [
    { name: "right in everything" },
    { name: "two signatures, the receiver has the old secret", headers: rotating },
    {
      name: "two signatures, the receiver has the new secret",
      headers: rotating,
      secrets: [NEXT_SECRET],
    },
    { name: "one signature, the receiver has both secrets", secrets: [NEXT_SECRET, SECRET] },
    { name: "versions that nobody knows beside it", headers: signature(`v1a,AAAA v2,x ${one}`) },
    { name: "300 s late", now: SENT_AT + 300 },
    { name: "300 s early", now: SENT_AT - 300 },
    { name: "301 s late", now: SENT_AT + 301 },
    { name: "301 s early", now: SENT_AT - 301 },
    { name: "a body with a blank more", body: `${BODY} ` },
    {
      name: "a body that was parsed and written again",
      body: JSON.stringify(JSON.parse(BODY), null, 1),
    },
    { name: "another secret", headers: signature(strange) },
    { name: "a receiver without a secret", secrets: [] },
    { name: "another id", headers: withHeaders({ "webhook-id": "evt_2" }) },
    { name: "another timestamp", headers: withHeaders({ "webhook-timestamp": `${SENT_AT + 1}` }) },
    { name: "another version alone", headers: signature(one.replace("v1,", "v2,")) },
    { name: "an empty signature", headers: signature("v1,") },
    { name: "a signature that is no base64", headers: signature("v1,***") },
    { name: "commas in place of blanks", headers: signature(two.replace(" ", ",")) },
    { name: "no id", headers: without("webhook-id") },
    { name: "no timestamp", headers: without("webhook-timestamp") },
    { name: "no signature", headers: without("webhook-signature") },
    {
      name: "a timestamp with a fraction",
      headers: withHeaders({ "webhook-timestamp": `${SENT_AT}.0` }),
    },
    { name: "a timestamp that is no number", headers: withHeaders({ "webhook-timestamp": "now" }) },
  ];
}
