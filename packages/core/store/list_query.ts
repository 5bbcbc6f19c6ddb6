import {
  decodeBase64Url,
  decodeUtf8,
  encodeBase64Url,
  encodeUtf8,
  type Page,
  type Refusal,
  refuse,
} from "@sabika/protocol";
import { toMoment } from "./moments.ts";
import type { AnySql, Fragment } from "./sql.ts";

/** What may be asked of a list (Decision D19). */
export interface ListQuery {
  readonly partnerId: number;
  /** 1 to 100. */
  readonly limit: number;
  /** `nextCursor` of the page before. */
  readonly cursor?: string | undefined;
  /** Inclusive. */
  readonly createdFromMs?: number | undefined;
  /** Exclusive. */
  readonly createdToMs?: number | undefined;
  readonly status?: string | undefined;
  /** Only what this key made. */
  readonly idempotencyKey?: string | undefined;
}

export type Listing<T> = { readonly ok: true; readonly page: Page<T> } | Refusal;

/** The kinds of lists; a cursor is valid for its own kind only. */
export type ListKind = "quotes" | "orders" | "withdrawals" | "events" | "ledger";

/** The opaque cursor that continues after an item. */
export function writeCursor(kind: ListKind, key: string): string {
  return encodeBase64Url(encodeUtf8(`${kind}:${key}`));
}

const KEY_OF: Readonly<Record<ListKind, RegExp>> = {
  quotes: /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
  orders: /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
  withdrawals: /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
  events: /^[1-9][0-9]{0,15}$/,
  ledger: /^[1-9][0-9]{0,15}$/,
};

/**
 * The key in a cursor, undefined without a cursor, or a refusal when it is not one of this kind.
 */
export function readCursor(
  kind: ListKind,
  cursor: string | undefined,
): { ok: true; key: string | undefined } | Refusal {
  if (cursor === undefined) return { ok: true, key: undefined };
  const bytes = decodeBase64Url(cursor);
  const text = bytes && decodeUtf8(bytes);
  const key = text?.startsWith(`${kind}:`) ? text.slice(kind.length + 1) : undefined;
  if (key !== undefined && KEY_OF[kind].test(key)) return { ok: true, key };
  return refuse("invalid_request", {
    errors: [{
      pointer: "/cursor",
      code: "wrong_form",
      message: "not a next_cursor of this list",
    }],
  });
}

/** Makes a page of the rows found; the query asked for one more than the limit. */
export function toPage<Row, T>(
  kind: ListKind,
  limit: number,
  rows: readonly Row[],
  read: (row: Row) => T,
  keyOf: (row: Row) => string,
): Listing<T> {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  const nextCursor = rows.length > limit && last ? writeCursor(kind, keyOf(last)) : null;
  return { ok: true, page: { data: shown.map(read), nextCursor } };
}

/** An id's time and its row's time differ by the wait for a batch, which is far shorter. */
const SLACK_MS = 3_600_000;

/** UUIDv7 bounds around a period, so that a list by id skips everything outside it. */
export function idBounds(query: ListQuery): { from: string | undefined; to: string | undefined } {
  const { createdFromMs, createdToMs } = query;
  return {
    from: createdFromMs === undefined ? undefined : idAt(createdFromMs - SLACK_MS),
    to: createdToMs === undefined ? undefined : idAt(createdToMs + SLACK_MS),
  };
}

/** The first UUIDv7 of a moment. */
export function idAt(ms: number): string {
  const most = 2 ** 48 - 1;
  const time = Math.min(most, Math.max(0, Math.floor(ms))).toString(16).padStart(12, "0");
  return `${time.slice(0, 8)}-${time.slice(8)}-0000-0000-000000000000`;
}

/** A moment as the database takes it. */
export function moment(ms: number): string {
  // The years that JavaScript and PostgreSQL write alike.
  return toMoment(Math.min(Math.max(ms, 0), 253_402_300_799_999));
}

/**
 * The conditions of a list by UUID, newest first; `idColumn` and `timeColumn` are trusted names.
 */
export function idConditions(
  sql: AnySql,
  query: ListQuery,
  columns: { id: string; time: string; kind: string },
  key: string | undefined,
): Fragment {
  const id = sql.unsafe(columns.id);
  const time = sql.unsafe(columns.time);
  const { from, to } = idBounds(query);
  const { partnerId, createdFromMs, createdToMs, idempotencyKey } = query;
  return sql`
    ${key === undefined ? sql`` : sql`and ${id} < ${key}::uuid`}
    ${from === undefined ? sql`` : sql`and ${id} >= ${from}::uuid`}
    ${to === undefined ? sql`` : sql`and ${id} < ${to}::uuid`}
    ${
    createdFromMs === undefined ? sql`` : sql`and ${time} >= ${moment(createdFromMs)}::timestamptz`
  }
    ${createdToMs === undefined ? sql`` : sql`and ${time} < ${moment(createdToMs)}::timestamptz`}
    ${
    idempotencyKey === undefined
      ? sql``
      : sql`and ${id} = (select k.resource_id from idempotency_keys k
          where k.partner_id = ${partnerId}::integer
            and k.key_hash = short_hash(${idempotencyKey}::text)
            and k.resource_kind = ${columns.kind})`
  }`;
}
