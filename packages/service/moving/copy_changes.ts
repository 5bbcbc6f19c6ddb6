import type { AnySql, Transaction } from "@sabika/database";
import { type MovedTable, sendRows, writtenSince } from "./copy_rows.ts";

/** A snapshot whose rows of a partner are all in the other cell and have been compared. */
export interface Mark {
  readonly partnerId: number;
  /** The snapshot, as PostgreSQL writes it. */
  readonly snapshot: string;
  /** The partner's accounts row then, as text. */
  readonly accounts: string;
  readonly lastTransfer: bigint;
  readonly lastEvent: bigint;
  readonly lastKey: bigint;
  /** The last event up to which all receipts were made. */
  readonly lastReceipt: bigint;
  /** The event that was to be delivered next. */
  readonly nextSequence: bigint;
  /** The database's clock, seconds since 1970. */
  readonly atSeconds: bigint;
  /** How many pages `trade_keys` had. */
  readonly keyPages: bigint;
}

/** The result of copying what is new. */
export interface Changes {
  readonly rows: number;
  /** Whether, by the partner's own counts, everything new was found. */
  readonly isWhole: boolean;
}

/** A session that was idle for long may still fill a page this far before the last. */
const PAGES_BEFORE = 256n;
/** No signed request with an older timestamp passes the door, whatever the clocks say. */
const OLDEST_NONCE_SECONDS = 3_600n;

/**
 * Reads the mark of a partner in the snapshot of this transaction.
 *
 * @throws Error when the partner has no accounts there
 */
export async function readMark(source: Transaction, partnerId: number): Promise<Mark> {
  const [mark] = await source<Omit<Mark, "partnerId">[]>`
    select pg_current_snapshot()::text as snapshot, a::text as accounts,
      a.last_transfer as "lastTransfer", a.last_event as "lastEvent", a.last_key as "lastKey",
      l.next_sequence as "nextSequence",
      coalesce((select last_event from receipt_marks m where m.partner_id = a.partner_id), 0) as "lastReceipt",
      floor(extract(epoch from clock_timestamp()))::bigint as "atSeconds",
      pg_relation_size('trade_keys') / current_setting('block_size')::bigint as "keyPages"
    from accounts a join webhook_lanes l using (partner_id)
    where a.partner_id = ${partnerId}::integer`;
  if (mark === undefined) throw new Error(`partner ${partnerId} has no accounts in this cell yet`);
  return { partnerId, ...mark };
}

/**
 * Copies a partner's rows since a mark. They are found by indexes and at the end of tables, so that the
 * time grows with what is new, not with what there was before. The accounts row counts transfers, events
 * and keys, which shows whether everything was found.
 *
 * @param source a transaction in which the partner's rows do not change: in one snapshot, or holding its
 *   accounts
 * @param now the present mark of the source
 */
export async function copyChanges(
  source: Transaction,
  target: AnySql,
  { since, now }: { since: Mark; now: Mark },
): Promise<Changes> {
  const { partnerId } = since;
  // New tables have no statistics; each condition below has its index.
  await source.unsafe(`set local statement_timeout = 0; set local jit = off;
    set local enable_seqscan = off`);
  const found = conditions(since);
  const sent = await sendRows(source, target, { partnerId, which: (table) => found[table] });
  const rowsOf = (name: MovedTable) => BigInt(sent.find(({ table }) => table === name)!.rows);
  return {
    rows: sent.reduce((sum, { rows }) => sum + rows, 0),
    isWhole: rowsOf("transfers") === now.lastTransfer - since.lastTransfer &&
      rowsOf("events") === now.lastEvent - since.lastEvent &&
      rowsOf("trade_keys") === now.lastKey - since.lastKey &&
      rowsOf("orders") + rowsOf("quotes") >= rowsOf("trade_keys"),
  };
}

/** The conditions on the row `t` of each table that find what is later than a mark. */
function conditions(mark: Mark): Readonly<Record<MovedTable, string>> {
  const { partnerId, lastTransfer, lastEvent, lastReceipt, nextSequence, atSeconds } = mark;
  const horizon = horizonOf(mark);
  const isOfPartner = `t.partner_id = ${partnerId}`;
  const later = `${isOfPartner} and ${writtenSince("t", horizon)}`;
  /** As arrays, so that no plan begins with the rows that are searched. */
  const ids = (column: string, table: string, which: string) =>
    `any (array(select ${column} from ${table} o where o.partner_id = ${partnerId} and ${which}))`;
  return {
    // Every quote has its key; that of a simulated old quote is in `idempotency_keys`.
    quotes: `${isOfPartner} and t.quote_id = any (array(
      select k.resource_id from trade_keys k
      where ${isNewKey("k", mark)} and k.resource_kind = 'quote'
      union all select i.resource_id from only idempotency_keys i
      where i.partner_id = ${partnerId} and i.resource_kind = 'quote'
        and ${writtenSince("i", horizon)}))`,
    orders: `${isOfPartner} and t.order_id = ${
      ids("o.resource_id", "events", `o.sequence > ${lastEvent} and o.type = 'order.executed'`)
    }`,
    evidence: `${isOfPartner} and t.evidence_id = any (array(
      select unnest(array[e.resource_id, e.event_id]) from events e
      where e.partner_id = ${partnerId} and e.sequence > ${lastEvent}))`,
    evidence_days: later,
    // Those of older events were there at the mark.
    receipts: `${isOfPartner} and t.order_id = ${
      ids("o.resource_id", "events", `o.sequence > ${lastReceipt} and o.type = 'order.executed'`)
    }`,
    transfers: `${isOfPartner} and t.number > ${lastTransfer}`,
    events: `${isOfPartner} and t.sequence > ${lastEvent}`,
    trade_keys: isNewKey("t", mark),
    nonces: `${later} and t.timestamp_seconds >= ${atSeconds - OLDEST_NONCE_SECONDS}`,
    fundings: `${isOfPartner} and t.funding_id = ${
      ids("o.source_id", "transfers", `o.number > ${lastTransfer} and o.source_kind = 'funding'`)
    }`,
    // An attempt is recorded before the cursor advances, or belongs to an event with its own schedule.
    webhook_attempts: `${later} and (t.sequence >= ${nextSequence}
      or t.sequence = ${ids("o.sequence", "event_deliveries", "true")})`,
    // Few compared with orders, and checked one by one.
    idempotency_keys: later,
    withdrawals: later,
    day_closings: later,
    balance_checkpoints: later,
    event_deliveries: later,
  };
}

/** The oldest transaction that the mark's snapshot may not have seen. */
export function horizonOf({ snapshot }: Mark): string {
  return snapshot.split(":")[0]!;
}

/**
 * The condition that a key of the partner was not seen by the mark's snapshot. Keys are random and no
 * index has their time, so they are searched in the last pages of the table.
 */
function isNewKey(row: string, mark: Mark): string {
  const { partnerId, snapshot, keyPages } = mark;
  const from = keyPages > PAGES_BEFORE ? keyPages - PAGES_BEFORE : 0n;
  // The row has 32 bits of its writer's number; the others are the snapshot's.
  const era = BigInt(snapshot.split(":")[1]!) >> 32n << 32n;
  // An expression, since the index by partner would read all of its keys.
  return `${row}.partner_id + 0 = ${partnerId} and ${row}.ctid >= '(${from},0)'::tid
    and ${writtenSince(row, horizonOf(mark))} and not pg_visible_in_snapshot(
      (${row}.xmin::text::bigint + ${era})::text::xid8, '${snapshot}'::pg_snapshot)`;
}
