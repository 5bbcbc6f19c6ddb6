import { type EventDeliveryStatus, formatTime, type PriceInterval } from "@sabika/protocol";

/** The filter of a list (Decision D19), which is sorted newest first; `Status`: the states of its items. */
export interface ListFilter<Status extends string = never> {
  /** The number of items on a page: 1 to 100; 20 by default. */
  limit?: number;
  /** The `nextCursor` of the previous page; null or undefined for the first page. */
  cursor?: string | null;
  /** The earliest creation time in epoch milliseconds, inclusive. */
  createdFromMs?: number;
  /** The latest creation time in epoch milliseconds, exclusive. */
  createdToMs?: number;
  /** Only items in this state; a list whose items have no states refuses it. */
  status?: Status;
  /** Only the item that was made with this Idempotency-Key. */
  idempotencyKey?: string;
}

/** The filter of the list of events, whose states are those of their delivery. */
export interface EventFilter extends ListFilter<EventDeliveryStatus> {
  /**
   * Only events with a greater `sequence`, oldest first, so that no page misses one; 0 for all. It can
   * be combined only with `limit` and `cursor`.
   */
  afterSequence?: number;
}

/** A period of the price history (Decision D91). */
export interface HistoryQuery {
  /** The beginning in epoch milliseconds, inclusive; 100 spans before the end if left out. */
  fromMs?: number;
  /** The end in epoch milliseconds, exclusive; now if left out. */
  toMs?: number;
  /** The length of a span; an hour if left out. */
  interval?: PriceInterval;
}

/** Makes the query of the price history with its question mark; empty for an empty query. */
export function historyQuery({ fromMs, toMs, interval }: HistoryQuery): string {
  const query = new URLSearchParams();
  if (fromMs !== undefined) query.set("from", formatTime(fromMs));
  if (toMs !== undefined) query.set("to", formatTime(toMs));
  if (interval !== undefined) query.set("interval", interval);
  const text = query.toString();
  return text === "" ? "" : `?${text}`;
}

/** Makes the query of a list with its question mark; empty for an empty filter. */
export function listQuery(
  filter: ListFilter<string> & Pick<EventFilter, "afterSequence"> = {},
): string {
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
