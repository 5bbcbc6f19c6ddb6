import { encodeBase64, encodeUtf8, parseWebhookSecret, type WebhookToSign } from "@sabika/protocol";

const HMAC = { name: "HMAC", hash: "SHA-256" } as const;

/** Signs a delivery: returns the value of `webhook-signature`. */
export type DeliverySigner = (
  delivery: Pick<WebhookToSign, "id" | "timestampSeconds"> & { readonly body: Uint8Array },
) => Promise<string>;

/**
 * Creates a signer that signs like the protocol's `signWebhook` (Decision D33), but imports the keys once for
 * all deliveries of a visit, which is half of the work.
 *
 * @throws {TypeError} when a secret does not have the form `whsec_<base64>`
 */
export async function createDeliverySigner(secrets: readonly string[]): Promise<DeliverySigner> {
  const keys = await Promise.all(secrets.map((secret) => {
    const bytes = parseWebhookSecret(secret);
    if (bytes === undefined) throw new TypeError("a webhook secret must be whsec_ and base64");
    return crypto.subtle.importKey("raw", bytes, HMAC, false, ["sign"]);
  }));
  return async ({ id, timestampSeconds, body }) => {
    const head = encodeUtf8(`${id}.${timestampSeconds}.`);
    const content = new Uint8Array(head.length + body.length);
    content.set(head);
    content.set(body, head.length);
    const signatures = await Promise.all(
      keys.map((key) => crypto.subtle.sign("HMAC", key, content)),
    );
    return signatures.map((bytes) => `v1,${encodeBase64(new Uint8Array(bytes))}`).join(" ");
  };
}
