import type { Environment } from "@sabika/protocol";
import { formatId } from "@sabika/protocol";
import type { Sql } from "../store/database.ts";
import { renderEvent, selectEvents } from "./event_rows.ts";
import type { EventRow } from "./event_rows.ts";
import { judgeAttempt } from "./judge_attempt.ts";
import type { Verdict } from "./judge_attempt.ts";
import * as lanes from "./lanes.ts";
import type { FailedAttempt, LeasedLane } from "./lanes.ts";
import type { EndpointConnection, EndpointOptions, PostResult } from "./post_webhook.ts";
import { signAttempt } from "./sign_attempt.ts";
import { resolveWebhookAddress } from "./webhook_url.ts";
import type { EndpointPolicy } from "./webhook_url.ts";

/** Where the worker tells what it sees; never a body, secret or signature. */
export interface WebhookLog {
  warn(message: string, fields: Record<string, unknown>): void;
  error(message: string, fields: Record<string, unknown>): void;
}

/** What the worker counts. */
export interface WebhookMetrics {
  attempt(result: Verdict["kind"], seconds: number): void;
}

export interface DeliveryParts {
  sql: Sql;
  /** The webhook secrets of a partner that are valid at a moment. */
  readSecrets: (partnerId: number, nowMs: number) => Promise<string[]>;
  environment: Environment;
  policy: EndpointPolicy;
  extraCaPem: string | undefined;
  connect: (options: EndpointOptions) => EndpointConnection;
  now: () => number;
  random: (length: number) => Uint8Array;
  timeoutMs: number;
  leaseMs: number;
  log: WebhookLog;
  metrics: WebhookMetrics;
}

/** So many events are in memory for a lane, whatever its backlog (F81). */
const BATCH = 50;
/** The cursor is written after so many deliveries at the latest: what a crash can have sent twice. */
const WRITE_CURSOR_EVERY = 25;
/** So many events a turn; then other lanes get theirs. */
const TURN = 500;

/**
 * Delivers what is due in one leased lane: first the events with a schedule of their own, then the
 * lane in sequence, one at a time, until an attempt fails, nothing is left or the turn is over.
 * Ends the lease in any case.
 */
export async function deliverLane(parts: DeliveryParts, lane: LeasedLane): Promise<void> {
  const visit = new Visit(parts, lane);
  try {
    await visit.open();
    if (await deliverSetAside(parts, lane, visit) && lane.cursorDue) {
      await deliverInSequence(parts, lane, visit);
    }
  } finally {
    visit.close();
    await lanes.releaseLane(parts.sql, lane);
  }
}

/** Parked events and those asked for again. False when the lane has nothing more to do. */
async function deliverSetAside(
  parts: DeliveryParts,
  lane: LeasedLane,
  visit: Visit,
): Promise<boolean> {
  const { sql } = parts;
  const due = await lanes.selectDueDeliveries(sql, lane.partnerId, parts.now(), BATCH);
  for (const { sequence, attempts } of due) {
    const [row] = await selectEvents(sql, { ...lane, fromSequence: sequence, limit: 1 });
    if (!row || !await visit.keepLease()) return false;
    const verdict = await visit.attempt(row, attempts + 1);
    const nowMs = parts.now();
    if (verdict.kind === "delivered") {
      await lanes.recordDelivery(sql, lane.partnerId, sequence, verdict.status, nowMs);
      continue;
    }
    const failed = {
      sequence,
      attempts: attempts + 1,
      status: verdict.status,
      reason: verdict.reason,
    };
    if (verdict.kind === "gone") {
      await disable(parts, lane, failed);
      return false;
    }
    const state = verdict.kind === "exhausted" ? "exhausted" : "failing";
    const next = verdict.kind === "exhausted" ? null : verdict.nextAttemptMs;
    await lanes.recordFailure(sql, lane.partnerId, failed, nowMs, state, next);
    if (verdict.kind === "hold") {
      // The endpoint is away: the others of this lane would learn no more than this one did.
      await lanes.postponeDue(sql, lane.partnerId, nowMs, verdict.nextAttemptMs);
      break;
    }
  }
  return true;
}

async function deliverInSequence(
  parts: DeliveryParts,
  lane: LeasedLane,
  visit: Visit,
): Promise<void> {
  const { sql } = parts;
  let delivered = lane.nextSequence;
  const writeCursor = async () =>
    delivered === lane.nextSequence || await lanes.advanceCursor(sql, lane, delivered);
  for (let left = TURN; left > 0;) {
    const rows = await selectEvents(sql, {
      ...lane,
      fromSequence: delivered,
      limit: Math.min(BATCH, left),
    });
    if (rows.length === 0) break;
    left -= rows.length;
    for (const row of rows) {
      if (!await visit.keepLease()) return;
      const attempts = delivered === lane.nextSequence ? lane.attempts : 0;
      const verdict = await visit.attempt(row, attempts + 1);
      if (verdict.kind === "delivered") {
        if (attempts > 0) {
          await lanes.recordDelivery(
            sql,
            lane.partnerId,
            row.sequence,
            verdict.status,
            parts.now(),
          );
        }
        delivered = row.sequence + 1n;
        const isDue = delivered - lane.nextSequence >= WRITE_CURSOR_EVERY || attempts > 0;
        if (isDue && !await writeCursor()) return;
        continue;
      }
      if (!await writeCursor()) return;
      const { status, reason } = verdict;
      const failed = { sequence: row.sequence, attempts: attempts + 1, status, reason };
      if (verdict.kind === "gone") return await disable(parts, lane, failed);
      if (verdict.kind === "hold") {
        return await lanes.holdLane(sql, lane, failed, parts.now(), verdict.nextAttemptMs);
      }
      const next = verdict.kind === "park" ? verdict.nextAttemptMs : undefined;
      if (!await lanes.setAside(sql, lane, failed, parts.now(), next)) return;
      delivered = row.sequence + 1n;
    }
  }
  await writeCursor();
}

async function disable(
  parts: DeliveryParts,
  lane: LeasedLane,
  failed: FailedAttempt,
): Promise<void> {
  await lanes.disableLane(parts.sql, lane, failed.reason, parts.now());
  const { partnerId } = lane;
  parts.log.error("webhook endpoint disabled", {
    partnerId,
    sequence: String(failed.sequence),
    reason: failed.reason,
  });
}

/** One visit to an endpoint: its address checked and its secrets opened once, its connection kept. */
class Visit {
  readonly #parts: DeliveryParts;
  readonly #lane: LeasedLane;
  #connection: EndpointConnection | undefined;
  #secrets: string[] = [];
  /** Why nothing can be sent at all. */
  #obstacle: string | undefined;

  constructor(parts: DeliveryParts, lane: LeasedLane) {
    this.#parts = parts;
    this.#lane = lane;
  }

  async open(): Promise<void> {
    const { readSecrets, policy, extraCaPem, timeoutMs, now } = this.#parts;
    const { partnerId } = this.#lane;
    const [resolved, opened] = await Promise.all([
      resolveWebhookAddress(this.#lane.url, policy),
      readSecrets(partnerId, now()).catch(() => undefined),
    ]);
    if (!resolved.ok) this.#obstacle = resolved.reason;
    else if (opened === undefined) this.#obstacle = "secret_unreadable";
    else if (opened.length === 0) this.#obstacle = "no_valid_secret";
    else {
      this.#secrets = opened;
      this.#connection = this.#parts.connect({ ...resolved, extraCaPem, timeoutMs });
    }
  }

  /** Prolongs the lease when an attempt could outlast it. False when it is lost. */
  async keepLease(): Promise<boolean> {
    const { sql, now, leaseMs, timeoutMs } = this.#parts;
    if (this.#lane.leasedUntilMs - now() > 2 * timeoutMs) return true;
    return await lanes.renewLease(sql, this.#lane, now() + leaseMs);
  }

  async attempt(row: EventRow, attempts: number): Promise<Verdict> {
    const { environment, now, random, log, metrics } = this.#parts;
    const startedAt = now();
    const result = await this.#post(row, environment);
    const [a = 0, b = 0] = random(2);
    const verdict = judgeAttempt(result, attempts, now(), (a * 256 + b) / 65_536);
    metrics.attempt(verdict.kind, (now() - startedAt) / 1000);
    if (verdict.kind !== "delivered") {
      const { partnerId } = this.#lane;
      const fields = {
        partnerId,
        sequence: String(row.sequence),
        attempts,
        reason: verdict.reason,
      };
      log.warn(`webhook ${verdict.kind}`, fields);
    }
    return verdict;
  }

  async #post(row: EventRow, environment: Environment): Promise<PostResult> {
    if (!this.#connection) return { kind: "failed", reason: this.#obstacle ?? "closed" };
    const body = renderEvent(row, environment);
    const id = formatId("evt", row.event_id);
    const { headers, bytes } = await signAttempt(this.#secrets, id, body, this.#parts.now());
    return await this.#connection.post(headers, bytes);
  }

  close(): void {
    this.#connection?.close();
    this.#secrets = [];
  }
}
