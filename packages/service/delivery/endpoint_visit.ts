import { encodeUtf8, type Environment, formatId } from "@sabika/protocol";
import { type EventRow, renderEvent } from "../events/render_event.ts";
import type { AttemptLog } from "./attempt_log.ts";
import { judgeAttempt, type Verdict } from "./judge_attempt.ts";
import type { KeptConnection, KeptConnections } from "./kept_connections.ts";
import { postSigned } from "./post_signed.ts";
import type { EndpointConnection, EndpointOptions, PostResult } from "./post_webhook.ts";
import { createDeliverySigner, type DeliverySigner } from "./sign_delivery.ts";
import { type EndpointPolicy, resolveWebhookAddress } from "./webhook_url.ts";

/** The log of the worker; no body, secret or signature ever goes there. */
export interface WebhookLog {
  warn(message: string, fields: Record<string, unknown>): void;
  error(message: string, fields: Record<string, unknown>): void;
}

/** What the worker counts. */
export interface WebhookMetrics {
  attempt(result: Verdict["kind"], seconds: number): void;
}

/** What sending to an endpoint needs. */
export interface EndpointParts {
  /** The webhook secrets of a partner that are valid at a moment. */
  readSecrets: (partnerId: number, nowMs: number) => Promise<string[]>;
  environment: Environment;
  policy: EndpointPolicy;
  trust: EndpointOptions["trust"];
  connections: KeptConnections;
  now: () => number;
  /** The time that deliveries are signed with. */
  realNow: () => number;
  random: (length: number) => Uint8Array;
  timeoutMs: number;
  log: WebhookLog;
  metrics: WebhookMetrics;
  attempts: Pick<AttemptLog, "add">;
}

/** One visit to an endpoint: address and secrets are checked once, the connection is reused. */
export interface EndpointVisit {
  /** Sends an event and records the attempt. `attempts` counts this one and the failed ones before. */
  attempt(row: EventRow, attempts: number): Promise<Verdict>;
  /** How many answers came over the connection, including earlier visits. */
  answered(): number;
  /** Keeps the connection for the next visit. */
  close(): void;
}

/** The connection and the signer of a visit, or why nothing can be sent. */
type Preparation =
  | { ok: true; kept: KeptConnection; sign: DeliverySigner }
  | { ok: false; reason: string };

/** Begins a visit. An endpoint that cannot be reached fails in `attempt`, not here. */
export async function openVisit(
  parts: EndpointParts,
  { partnerId, url, inFlight }: { partnerId: number; url: string; inFlight: number },
): Promise<EndpointVisit> {
  const prepared = await prepare(parts, { partnerId, url, maxSockets: inFlight });
  return {
    async attempt(row, attempts) {
      const { now, random, log, metrics } = parts;
      const startedMs = now();
      const result: PostResult = prepared.ok
        ? await send(prepared.kept.connection, prepared.sign, row, parts)
        : { kind: "failed", reason: prepared.reason };
      if (prepared.ok && result.kind === "answered") prepared.kept.answered++;
      const [high = 0, low = 0] = random(2);
      const endedMs = now();
      const verdict = judgeAttempt(result, attempts, endedMs, (high * 256 + low) / 65_536);
      metrics.attempt(verdict.kind, (endedMs - startedMs) / 1_000);
      const { sequence } = row.event;
      const reason = verdict.kind === "delivered" ? null : verdict.reason;
      parts.attempts.add({
        partnerId,
        sequence,
        atMs: startedMs,
        durationMs: endedMs - startedMs,
        status: verdict.status,
        failure: reason,
        address: result.address ?? null,
      });
      if (reason !== null) {
        const fields = { partnerId, sequence: String(sequence), attempts, reason };
        log.warn(`webhook ${verdict.kind}`, fields);
      }
      return verdict;
    },
    answered: () => prepared.ok ? prepared.kept.answered : 0,
    close() {
      if (prepared.ok) parts.connections.give(partnerId);
    },
  };
}

async function prepare(
  parts: EndpointParts,
  { partnerId, url, maxSockets }: { partnerId: number; url: string; maxSockets: number },
): Promise<Preparation> {
  const { readSecrets, policy, trust, timeoutMs, now } = parts;
  const [resolved, secrets] = await Promise.all([
    resolveWebhookAddress(url, policy),
    readSecrets(partnerId, now()).catch(() => undefined),
  ]);
  if (!resolved.ok) return { ok: false, reason: resolved.reason };
  if (secrets === undefined) return { ok: false, reason: "secret_unreadable" };
  if (secrets.length === 0) return { ok: false, reason: "no_valid_secret" };
  const kept = parts.connections.take(partnerId, { ...resolved, trust, timeoutMs, maxSockets });
  return { ok: true, kept, sign: await createDeliverySigner(secrets) };
}

/** Signs with every secret, with the event's id and the time of this attempt (Decision D33). */
async function send(
  connection: EndpointConnection,
  sign: DeliverySigner,
  row: EventRow,
  { environment, realNow }: EndpointParts,
): Promise<PostResult> {
  return await postSigned(connection, sign, {
    id: formatId("evt", row.event.eventId),
    body: encodeUtf8(renderEvent(row, environment)),
    nowMs: realNow(),
  });
}
