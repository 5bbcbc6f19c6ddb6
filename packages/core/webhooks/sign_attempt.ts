import { encodeUtf8, HEADER, signWebhook } from "@sabika/protocol";

/**
 * The headers and bytes of one attempt: the timestamp is the attempt's, the id the event's, and each
 * of the secrets signs (Decision D33).
 */
export async function signAttempt(
  secrets: string[],
  id: string,
  body: string,
  nowMs: number,
): Promise<{ headers: Record<string, string>; bytes: Uint8Array }> {
  const timestampSeconds = Math.floor(nowMs / 1000);
  const bytes = encodeUtf8(body);
  return {
    bytes,
    headers: {
      "content-type": "application/json",
      "user-agent": "Sabika-Webhooks/1",
      [HEADER.webhookId]: id,
      [HEADER.webhookTimestamp]: String(timestampSeconds),
      [HEADER.webhookSignature]: await signWebhook({ secrets, id, timestampSeconds, body: bytes }),
    },
  };
}
