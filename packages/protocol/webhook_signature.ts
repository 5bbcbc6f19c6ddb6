import { decodeBase64, encodeBase64, encodeUtf8, equalInConstantTime } from "./bytes.ts";
import { HEADER } from "./headers.ts";
import { WEBHOOK_TOLERANCE_SECONDS } from "./limits.ts";
import { parseUnixSeconds } from "./times.ts";

const HMAC = { name: "HMAC", hash: "SHA-256" } as const;
const PREFIX = "whsec_";

/** A delivery to be signed, and its secrets. */
export interface WebhookToSign {
  /** `whsec_` and base64; several during a rotation, each of which signs. */
  readonly secrets: readonly string[];
  /** The event's id, `webhook-id`. */
  readonly id: string;
  /** `webhook-timestamp`: the time of this attempt. */
  readonly timestampSeconds: number;
  /** The raw body. */
  readonly body: string | Uint8Array;
}

/** A delivery to be verified, as a receiver has it. */
export interface WebhookToVerify {
  /** `whsec_` and base64; one of them must fit. */
  readonly secrets: readonly string[];
  /** Looks up a header by its lower-case name. */
  readonly headers: { get(name: string): string | null | undefined };
  /** The raw body, not parsed and serialised again. */
  readonly body: string | Uint8Array;
  /** The receiver's clock. */
  readonly nowSeconds: number;
  /** How far the timestamp may differ; 300 by default. */
  readonly toleranceSeconds?: number;
}

/** Reasons to refuse a delivery. */
export const WEBHOOK_REFUSALS = [
  "header_missing",
  "timestamp_invalid",
  "timestamp_out_of_window",
  "signature_mismatch",
] as const;
/** One of {@link WEBHOOK_REFUSALS}. */
export type WebhookRefusal = (typeof WEBHOOK_REFUSALS)[number];

/** The result of verifying a delivery: genuine, or the reason why not. */
export type WebhookVerification =
  | { readonly ok: true }
  | { readonly ok: false; readonly reason: WebhookRefusal };

/**
 * Signs a delivery; returns the value of `webhook-signature`: for each secret `v1,` and the base64
 * HMAC-SHA256 of `id.timestamp.body`, separated by spaces (Standard Webhooks; Decision D33).
 *
 * @throws {TypeError} when a secret does not have the form `whsec_<base64>`
 */
export async function signWebhook(webhook: WebhookToSign): Promise<string> {
  const content = signedContent(webhook.id, String(webhook.timestampSeconds), webhook.body);
  const signatures: string[] = [];
  for (const secret of webhook.secrets) {
    signatures.push(`v1,${encodeBase64(await hmac(secret, content))}`);
  }
  return signatures.join(" ");
}

/**
 * Verifies a delivery: one of its signatures must fit one of the secrets, and its timestamp must
 * lie within the tolerance (300 s by default, inclusive).
 *
 * @throws {TypeError} when a secret does not have the form `whsec_<base64>`
 */
export async function verifyWebhook(webhook: WebhookToVerify): Promise<WebhookVerification> {
  const id = webhook.headers.get(HEADER.webhookId);
  const timestamp = webhook.headers.get(HEADER.webhookTimestamp);
  const signatures = webhook.headers.get(HEADER.webhookSignature);
  if (!id || !timestamp || !signatures) return { ok: false, reason: "header_missing" };

  const seconds = parseUnixSeconds(timestamp);
  if (seconds === undefined) return { ok: false, reason: "timestamp_invalid" };
  const tolerance = webhook.toleranceSeconds ?? WEBHOOK_TOLERANCE_SECONDS;
  if (Math.abs(webhook.nowSeconds - seconds) > tolerance) {
    return { ok: false, reason: "timestamp_out_of_window" };
  }

  const versionOne = versionOneSignatures(signatures);
  const content = signedContent(id, timestamp, webhook.body);
  let fits = false;
  for (const secret of webhook.secrets) {
    const expected = await hmac(secret, content);
    for (const signature of versionOne) fits = equalInConstantTime(signature, expected) || fits;
  }
  return fits ? { ok: true } : { ok: false, reason: "signature_mismatch" };
}

/** Formats 24 to 64 random bytes as a secret: `whsec_` and base64. */
export function formatWebhookSecret(bytes: Uint8Array): string {
  return PREFIX + encodeBase64(bytes);
}

/** Returns the key bytes of a `whsec_…` secret; undefined when it has another form or is empty. */
export function parseWebhookSecret(secret: string): Uint8Array<ArrayBuffer> | undefined {
  if (!secret.startsWith(PREFIX)) return undefined;
  const bytes = decodeBase64(secret.slice(PREFIX.length));
  return bytes === undefined || bytes.length === 0 ? undefined : bytes;
}

function versionOneSignatures(header: string): Uint8Array[] {
  return header.split(" ")
    .filter((part) => part.startsWith("v1,"))
    .map((part) => decodeBase64(part.slice(3)))
    .filter((bytes) => bytes !== undefined);
}

function signedContent(
  id: string,
  timestamp: string,
  body: string | Uint8Array,
): Uint8Array<ArrayBuffer> {
  if (typeof body === "string") return encodeUtf8(`${id}.${timestamp}.${body}`);
  const head = encodeUtf8(`${id}.${timestamp}.`);
  const content = new Uint8Array(head.length + body.length);
  content.set(head);
  content.set(body, head.length);
  return content;
}

async function hmac(secret: string, content: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  const bytes = parseWebhookSecret(secret);
  if (bytes === undefined) throw new TypeError("a webhook secret must be whsec_ and base64");
  const key = await crypto.subtle.importKey("raw", bytes, HMAC, false, ["sign"]);
  return new Uint8Array(await crypto.subtle.sign("HMAC", key, content));
}
