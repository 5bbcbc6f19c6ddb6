import { encodeUtf8, type Environment, formatTime } from "@sabika/protocol";
import {
  connectEndpoint,
  createDeliverySigner,
  type EndpointPolicy,
  judgeAttempt,
  postSigned,
  resolveWebhookAddress,
  trustAuthorities,
} from "@sabika/service/delivery";
import type { DueNotification } from "@sabika/service/notifications";
import { sendDue, type SendingParts } from "./send_due.ts";

/** The operator's own webhook. */
export interface WebhookSettings {
  readonly url: string;
  /** Each signs: the newest, and those that it takes the place of. */
  readonly secrets: readonly string[];
}

/** What its sending needs besides. */
export interface WebhookParts extends SendingParts, WebhookSettings {
  readonly environment: Environment;
  readonly policy: EndpointPolicy;
  /** PEM of an authority that is trusted beside the system's; for tests. */
  readonly extraCaPem?: string | undefined;
  /** The time limit of one attempt. */
  readonly timeoutMs?: number | undefined;
}

const TIMEOUT_MS = 15_000;

/** Makes the function that sends what is due to the operator's webhook, as partners' webhooks are sent. */
export function createWebhookSender(parts: WebhookParts): () => Promise<void> {
  const { url, secrets, environment, policy, now, random, timeoutMs = TIMEOUT_MS } = parts;
  const trust = trustAuthorities(parts.extraCaPem);
  return () =>
    sendDue(parts, "webhook", async (due) => {
      const resolved = await resolveWebhookAddress(url, policy);
      const connection = resolved.ok
        ? connectEndpoint({ ...resolved, trust, timeoutMs, maxSockets: 1 })
        : undefined;
      try {
        const result = connection === undefined
          ? { kind: "failed" as const, reason: resolved.ok ? "" : resolved.reason }
          : await postSigned(connection, await createDeliverySigner(secrets), {
            id: `ntf_${due.id}`,
            body: encodeUtf8(bodyOf(due, environment)),
            nowMs: now(),
          });
        const nowMs = now();
        const verdict = judgeAttempt(result, due.attempts, nowMs, random(1)[0]! / 256);
        if (verdict.kind === "delivered") return undefined;
        const pauseMs = "nextAttemptMs" in verdict ? verdict.nextAttemptMs - nowMs : undefined;
        return { reason: verdict.reason, pauseMs };
      } finally {
        connection?.close();
      }
    });
}

/** What the webhook is told: the same at each attempt, but for the end of what lasted. */
function bodyOf(due: DueNotification, environment: Environment): string {
  const { id, kind, subject, facts, createdAtMs, endedAtMs } = due;
  return JSON.stringify({
    id: `ntf_${id}`,
    type: `notification.${kind}`,
    timestamp: formatTime(createdAtMs),
    environment,
    data: { kind, subject, facts, ended_at: endedAtMs === null ? null : formatTime(endedAtMs) },
  });
}
