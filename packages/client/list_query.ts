import { formatTime } from "@sabika/protocol";

/** What a list is narrowed to (Decision D19); newest first. */
export interface ListFilter {
  /** 1 to 100; 20 by default. */
  limit?: number;
  /** `nextCursor` of the page before. */
  cursor?: string | null;
  /** Epoch milliseconds, inclusive. */
  createdFromMs?: number;
  /** Epoch milliseconds, exclusive. */
  createdToMs?: number;
  /** Those with this status. */
  status?: string;
  /** What was made with this key. */
  idempotencyKey?: string;
}

/** What the list of events is narrowed to. */
export interface EventFilter extends ListFilter {
  /**
   * Only events with a greater `sequence`, oldest first, so that no page misses one; 0 for all. Goes
   * with `limit` and `cursor` alone.
   */
  afterSequence?: number;
}

/** The query of a list, question mark included; empty when nothing is asked for. */
export function listQuery(filter: EventFilter = {}): string {
  const query = new URLSearchParams();
  const { limit, cursor, createdFromMs, createdToMs, status, idempotencyKey } = filter;
  const { afterSequence } = filter;
  if (limit !== undefined) query.set("limit", String(limit));
  if (cursor != null) query.set("cursor", cursor);
  if (createdFromMs !== undefined) query.set("created_from", formatTime(createdFromMs));
  if (createdToMs !== undefined) query.set("created_to", formatTime(createdToMs));
  if (status !== undefined) query.set("status", status);
  if (idempotencyKey !== undefined) query.set("idempotency_key", idempotencyKey);
  if (afterSequence !== undefined) query.set("after_sequence", String(afterSequence));
  const text = query.toString();
  return text === "" ? "" : `?${text}`;
}
