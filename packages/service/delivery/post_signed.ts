import { HEADER } from "@sabika/protocol";
import type { EndpointConnection, PostResult } from "./post_webhook.ts";
import type { DeliverySigner } from "./sign_delivery.ts";

/** Posts a body as a signed webhook (Decision D33): its id, and the time of this attempt. */
export async function postSigned(
  connection: EndpointConnection,
  sign: DeliverySigner,
  { id, body, nowMs }: { id: string; body: Uint8Array; nowMs: number },
): Promise<PostResult> {
  const timestampSeconds = Math.floor(nowMs / 1_000);
  const signature = await sign({ id, timestampSeconds, body });
  return await connection.post({
    "content-type": "application/json",
    "user-agent": "Sabika-Webhooks/1",
    [HEADER.webhookId]: id,
    [HEADER.webhookTimestamp]: String(timestampSeconds),
    [HEADER.webhookSignature]: signature,
  }, body);
}
