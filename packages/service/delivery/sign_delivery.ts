import { Buffer } from "node:buffer";
import { createHmac } from "node:crypto";
import type { WebhookToSign } from "@sabika/protocol";

const PREFIX = "whsec_";

/**
 * Signs like the protocol's `signWebhook` (Decision D33), but on this thread: handing so short a text to
 * another thread and back costs more than the HMAC.
 */
export function signDelivery({ secrets, id, timestampSeconds, body }: WebhookToSign): string {
  return secrets.map((secret) => {
    const hmac = createHmac("sha256", Buffer.from(secret.slice(PREFIX.length), "base64"));
    return `v1,${hmac.update(`${id}.${timestampSeconds}.`).update(body).digest("base64")}`;
  }).join(" ");
}
