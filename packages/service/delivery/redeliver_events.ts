import {
  type FieldError,
  formatTime,
  type IdempotentOutcome,
  type Redelivery,
  REDELIVERY_MAX_EVENTS,
  type RedeliveryRequest,
  type Refusal,
  refuse,
} from "@sabika/protocol";
import type { Database } from "@sabika/database";
import type { RedeliverCommand } from "../batches/commands.ts";
import { MOVED } from "../batches/moved.ts";
import { keyConflict } from "../batches/refusals.ts";
import type { ResourceKind } from "../idempotency/resource_id.ts";

/** A row of `request_redelivery`. */
interface RedeliveryRow {
  readonly result: "requested" | "replayed" | "idempotency_key_conflict" | "not_found" | "moved";
  readonly subject_kind: ResourceKind;
  readonly subject_id: string;
}

/**
 * Requests that events are delivered again, once for each key (Decisions D28, D35). The answer follows
 * from the request alone, as events stay for ever and numbers have no gaps, so none is stored. Refuses
 * an unknown event with `not_found`, a range that is too long or not all written with `invalid_request`.
 */
export async function redeliverEvents(
  { sql }: Database,
  { partner, idempotencyKey, parameters, receivedAtMs, request }: RedeliverCommand,
): Promise<IdempotentOutcome<Redelivery>> {
  const { partnerId } = partner;
  const isOne = "eventId" in request;
  const range = isOne ? await rangeOf(sql, partnerId, request.eventId) : request;
  const wrong = range && wrongRange(range);
  // For a wrong range it asks for no event, so that a conflict of the key is still reported first.
  const { fromSequence, toSequence } = range && !wrong ? range : NO_EVENT;
  const [row] = await sql<RedeliveryRow[]>`select * from request_redelivery(
    ${partnerId}::integer, ${fromSequence}::bigint, ${toSequence}::bigint, ${idempotencyKey},
    ${parameters}, ${formatTime(receivedAtMs)}::timestamptz)`;
  const { result, subject_kind, subject_id } = row!;
  if (result === "moved") return MOVED;
  if (result === "idempotency_key_conflict") return keyConflict(subject_kind, subject_id);
  if (result === "not_found") {
    return isOne ? refuse("not_found") : wrong ?? refuseRange("/to_sequence", "is of no event yet");
  }
  const value = { fromSequence, toSequence, count: toSequence - fromSequence + 1 };
  return { ok: true, replayed: result === "replayed", value };
}

const NO_EVENT: RedeliveryRequest = { fromSequence: 0, toSequence: 0 };

async function rangeOf(
  sql: Database["sql"],
  partnerId: number,
  eventId: string,
): Promise<RedeliveryRequest | undefined> {
  const [row] = await sql<{ sequence: bigint }[]>`
    select sequence from events
    where partner_id = ${partnerId}::integer and event_id = ${eventId}::uuid`;
  return row && { fromSequence: Number(row.sequence), toSequence: Number(row.sequence) };
}

function wrongRange({ fromSequence, toSequence }: RedeliveryRequest): Refusal | undefined {
  if (toSequence < fromSequence) return refuseRange("/to_sequence", "lies before from_sequence");
  return toSequence - fromSequence < REDELIVERY_MAX_EVENTS
    ? undefined
    : refuseRange("/to_sequence", `makes more than ${REDELIVERY_MAX_EVENTS} events`);
}

function refuseRange(pointer: string, message: string): Refusal {
  const error: FieldError = { pointer, code: "not_allowed", message };
  return refuse("invalid_request", { errors: [error] });
}
