import { encodeBase64, encodeBase64Url, equalInConstantTime } from "@sabika/protocol";
import type { Secrets } from "@sabika/identity/secrets";
import { isValidAt } from "@sabika/terms";
import type { ClientSecretRecord } from "./records.ts";

const PREFIX = "sk_";
const NOBODY: readonly ClientSecretRecord[] = [];
const NO_HASH = new Uint8Array(32);

/** Makes a client secret: 32 random bytes in base64url, behind `sk_` for secret scanners. */
export function newClientSecret(random: (length: number) => Uint8Array): string {
  return PREFIX + encodeBase64Url(random(32));
}

/**
 * Makes a webhook secret as in Standard Webhooks: `whsec_` and base64 of 32 bytes (Decision D33).
 */
export function newWebhookSecret(random: (length: number) => Uint8Array): string {
  return `whsec_${encodeBase64(random(32))}`;
}

/**
 * Whether a client secret is one of a partner's and valid now. An unknown client costs the same hash and the
 * same comparisons as a known one, so the response time does not reveal which it was (F56).
 *
 * @param known the secrets of the client, or undefined when there is no such client
 */
export async function matchesClientSecret(
  secrets: Secrets,
  known: readonly ClientSecretRecord[] | undefined,
  clientSecret: string,
  nowMs: number,
): Promise<boolean> {
  const hash = await secrets.hashClientSecret(clientSecret);
  // At least one comparison and no early return, so that the time is the same.
  let matches = equalInConstantTime(hash, NO_HASH);
  for (const record of known ?? NOBODY) {
    const same = equalInConstantTime(hash, record.hash);
    matches = (same && isValidAt(record, nowMs)) || matches;
  }
  return matches;
}
