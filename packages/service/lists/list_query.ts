import {
  decodeBase64Url,
  decodeUtf8,
  encodeBase64Url,
  encodeUtf8,
  formatTime,
  type Page,
  type Refusal,
  refuse,
} from "@sabika/protocol";
import { UUID } from "@sabika/terms";
import { and, eq, gte, lt, type SQL, sql } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";
import { type Inputs, preparedQuery, readMoment } from "@sabika/database";
import type { idempotencyKeys } from "../idempotency/tables.ts";

/** The query of a list (Decision D19). */
export interface ListQuery {
  readonly partnerId: number;
  /** 1 to 100. */
  readonly limit: number;
  /** `nextCursor` of the previous page. */
  readonly cursor?: string | undefined;
  /** Inclusive. */
  readonly createdFromMs?: number | undefined;
  /** Exclusive. */
  readonly createdToMs?: number | undefined;
  readonly status?: string | undefined;
  /** Only what this key made. */
  readonly idempotencyKey?: string | undefined;
  /** For events only: those after this number, oldest first; not combined with filters. */
  readonly afterSequence?: number | undefined;
}

/** A page of a list, or the refusal of a cursor that is not one of this list. */
export type Listing<T> = { readonly ok: true; readonly page: Page<T> } | Refusal;

/** The kinds of lists; a cursor is valid for its own kind only. */
export type ListKind =
  | "quotes"
  | "orders"
  | "withdrawals"
  | "events"
  | "events_after"
  | "attempts"
  | "credentials"
  | "ledger";

/** The opaque cursor that continues after an item. */
function writeCursor(kind: ListKind, key: string): string {
  return encodeBase64Url(encodeUtf8(`${kind}:${key}`));
}

const KEY_OF: Readonly<Record<ListKind, RegExp>> = {
  quotes: UUID,
  orders: UUID,
  withdrawals: UUID,
  events: /^[1-9][0-9]{0,15}$/,
  events_after: /^[1-9][0-9]{0,15}$/,
  attempts: /^[1-9][0-9]{0,15}$/,
  credentials: UUID,
  ledger: /^[1-9][0-9]{0,15}$/,
};

/** Reads the key in a cursor; undefined without a cursor, refused when it is not one of this kind. */
function readCursor(
  kind: ListKind,
  cursor: string | undefined,
): { ok: true; key: string | undefined } | Refusal {
  if (cursor === undefined) return { ok: true, key: undefined };
  const bytes = decodeBase64Url(cursor);
  const text = bytes && decodeUtf8(bytes);
  const key = text?.startsWith(`${kind}:`) ? text.slice(kind.length + 1) : undefined;
  if (key !== undefined && KEY_OF[kind].test(key)) return { ok: true, key };
  return refuse("invalid_request", {
    errors: [{ pointer: "/cursor", code: "wrong_form", message: "not a next_cursor of this list" }],
  });
}

/**
 * Reads one page of a list.
 *
 * @param select reads the rows for these values, one more than the limit
 * @param read converts a row to the item that the page shows
 * @param keyOf returns the key of a row, after which its cursor continues
 * @returns a refusal when the cursor is not one of this list
 */
export async function readPage<Row, T>(
  kind: ListKind,
  query: ListQuery,
  select: (values: ReturnType<typeof listValues>) => PromiseLike<readonly Row[]>,
  read: (row: Row) => T,
  keyOf: (row: Row) => string,
): Promise<Listing<T>> {
  const cursor = readCursor(kind, query.cursor);
  if (!cursor.ok) return cursor;
  const rows = await select(listValues(query, cursor.key));
  const shown = rows.slice(0, query.limit);
  const last = shown.at(-1);
  const nextCursor = rows.length > query.limit && last ? writeCursor(kind, keyOf(last)) : null;
  return { ok: true, page: { data: shown.map(read), nextCursor } };
}

/** More than the times of an id and of its row can differ: items wait for their batch. */
export const SLACK_MS = 60_000;

/** When a UUIDv7 was made, epoch milliseconds. */
export const timeOfId = (uuid: string): number =>
  Number.parseInt(uuid.slice(0, 8) + uuid.slice(9, 13), 16);

/** Before what all rows of a page are. */
export interface ListedBefore {
  /** Epoch milliseconds; Infinity for the newest page of a list. */
  readonly ms: number;
  /** The number before which a page of numbered rows continues. */
  readonly number: bigint | undefined;
}

/** Where a page ends; nowhere if a key is asked for, since who asks may just have used it. */
export function listedBefore(kind: ListKind, query: ListQuery): ListedBefore {
  const { cursor, createdToMs = Infinity, idempotencyKey } = query;
  if (idempotencyKey !== undefined) return { ms: Infinity, number: undefined };
  const read = readCursor(kind, cursor);
  const key = read.ok ? read.key : undefined;
  if (key === undefined) return { ms: createdToMs, number: undefined };
  return key.includes("-")
    ? { ms: Math.min(createdToMs, timeOfId(key)), number: undefined }
    : { ms: createdToMs, number: BigInt(key) };
}

/** Returns a UUID that sorts between the UUIDv7s of earlier times and those of this one, epoch ms. */
export function idAt(ms: number): string {
  const most = 2 ** 48 - 1;
  const time = Math.min(most, Math.max(0, Math.floor(ms))).toString(16).padStart(12, "0");
  return `${time.slice(0, 8)}-${time.slice(8)}-0000-0000-000000000000`;
}

/** The placeholders of every list's query. */
export type ListInputs = Inputs<
  "partnerId" | "limit",
  "before" | "from" | "to" | "fromId" | "toId" | "idempotencyKey"
>;

/** The values of every list's query; the limit is one row more than the page has. */
function listValues(query: ListQuery, cursorKey: string | undefined) {
  const { partnerId, limit, createdFromMs: from, createdToMs: to, idempotencyKey } = query;
  return {
    partnerId,
    limit: limit + 1,
    before: cursorKey,
    from: from === undefined ? undefined : clampedMoment(from),
    to: to === undefined ? undefined : clampedMoment(to),
    fromId: from === undefined ? undefined : idAt(from - SLACK_MS),
    toId: to === undefined ? undefined : idAt(to + SLACK_MS),
    idempotencyKey,
  };
}

/** A moment within the years that JavaScript and PostgreSQL write alike. */
function clampedMoment(ms: number): string {
  return formatTime(Math.min(Math.max(ms, 0), 253_402_300_799_999));
}

/**
 * The condition that a row was made in the requested period. The bounds on the list's key say nearly the
 * same, so `coalesce` hides it from the planner: taking both for independent, it would expect almost no
 * rows, and read and sort the whole period for one page.
 */
export function madeInPeriod(
  time: PgColumn,
  { from, to }: Pick<ListInputs, "from" | "to">,
): SQL | undefined {
  return and(
    from && sql`coalesce(${gte(time, from)}, false)`,
    to && sql`coalesce(${lt(time, to)}, false)`,
  );
}

/**
 * The condition of a list by UUID, newest first. The ids contain their time, so a list of a period does
 * not read what lies outside of it.
 */
export function listedById(
  { partnerId, id, time, kind }: {
    partnerId: PgColumn;
    id: PgColumn;
    time: PgColumn;
    /** Left out where the list itself knows which key made what. */
    kind?: "quote" | "order" | "withdrawal";
  },
  values: ListInputs,
): SQL | undefined {
  const { before, fromId, toId, idempotencyKey } = values;
  return and(
    eq(partnerId, values.partnerId),
    before && lt(id, before),
    fromId && gte(id, fromId),
    toId && lt(id, toId),
    madeInPeriod(time, values),
    idempotencyKey && eq(id, madeByKey(values, kind)),
  );
}

/** The SQL for the UUID of what an Idempotency-Key made; null when it made nothing of the kind. */
export function madeByKey(
  values: Pick<ListInputs, "partnerId" | "idempotencyKey">,
  kind?: "quote" | "order" | "withdrawal",
): SQL {
  const ofKind = kind && sql`where resource_kind = ${kind}`;
  return sql`(select resource_id from ${knownKey(values)} ${ofKind})`;
}

/** The SQL of a `from` clause for what an Idempotency-Key made: at most one row. */
export function knownKey(values: Pick<ListInputs, "partnerId" | "idempotencyKey">): SQL {
  const { partnerId, idempotencyKey } = values;
  return sql`known_key(${partnerId}::integer, short_hash(${idempotencyKey}::text))`;
}

type KeyRow = typeof idempotencyKeys.$inferSelect;

const KNOWN_KEY = {
  resourceId: sql<KeyRow["resourceId"]>`resource_id`,
  resourceKind: sql<KeyRow["resourceKind"]>`resource_kind`,
  createdAt: sql`created_at`.mapWith(readMoment),
};

/** Reads what an Idempotency-Key made: at most one row. */
export const selectKey = preparedQuery((orm, values: Inputs<"partnerId" | "idempotencyKey">) =>
  orm.select(KNOWN_KEY).from(knownKey(values))
);
