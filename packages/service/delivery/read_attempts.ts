import type { DeliveryAttempt, DeliveryFailure } from "@sabika/protocol";
import type { AnySql, Database } from "@sabika/database";
import { type Listing, type ListQuery, readPage } from "../lists/list_query.ts";

/** A summary of all attempts at an event. */
export interface AttemptSummary {
  sequence: bigint;
  attempts: number;
  /** When it was first answered with 2xx; null when it never was. */
  acceptedAtMs: number | null;
}

/** Summarises the attempts that are kept; `numbers` is an array literal of the events' numbers. */
export async function summarizeAttempts(
  sql: AnySql,
  { partnerId, numbers }: { partnerId: number; numbers: string },
): Promise<AttemptSummary[]> {
  return await sql<AttemptSummary[]>`
    select sequence, count(*)::int as attempts,
      (extract(epoch from min(attempted_at + duration_ms * interval '1 ms')
        filter (where failure is null)) * 1000)::float8 as "acceptedAtMs"
    from webhook_attempts
    where partner_id = ${partnerId} and sequence = any (${numbers}::bigint[])
      -- Leaves out the partitions of days before the first of them; clocks differ by less than a day.
      and attempted_at >= (select min(created_at) - interval '1 day' from events
        where partner_id = ${partnerId} and sequence = any (${numbers}::bigint[]))
    group by sequence`;
}

interface AttemptRow extends Omit<DeliveryAttempt, "failure"> {
  failure: string | null;
}

/** Lists attempts at an event (UUID), newest first; undefined when the partner has no such event. */
export async function listAttempts(
  { sql }: Database,
  query: ListQuery & { eventId: string },
): Promise<Listing<DeliveryAttempt> | undefined> {
  const { partnerId, eventId } = query;
  const [event] = await sql<{ sequence: bigint; createdAt: string }[]>`
    select sequence, created_at::text as "createdAt" from events
    where partner_id = ${partnerId} and event_id = ${eventId}`;
  if (event === undefined) return undefined;
  return await readPage(
    "attempts",
    query,
    ({ limit, before }) =>
      sql<AttemptRow[]>`
        select (extract(epoch from attempted_at) * 1000)::float8 as "attemptedAtMs",
          duration_ms as "durationMs", status, failure, address
        from webhook_attempts
        where partner_id = ${partnerId} and sequence = ${event.sequence}
          and attempted_at >= ${event.createdAt}::timestamptz - interval '1 day'
          and (${before ?? null}::bigint is null
            or attempted_at < to_timestamp(${before ?? null}::bigint / 1000.0))
        order by attempted_at desc limit ${limit}`,
    (row) => ({ ...row, failure: failureClass(row) }),
    (row) => String(row.attemptedAtMs),
  );
}

/** Classifies a failure by status, or by the code of Node, OpenSSL or our check; null for a success. */
export function failureClass(
  { status, failure }: { status: number | null; failure: string | null },
): DeliveryFailure | null {
  if (failure === null) return null;
  if (status === 410) return "gone";
  if (status === 429 || status === 503) return "busy";
  if (status !== null) return status >= 300 && status <= 399 ? "redirect" : "error_answer";
  return CLASSES.find(([pattern]) => pattern.test(failure))?.[1] ?? "other";
}

const CLASSES: readonly [RegExp, DeliveryFailure][] = [
  [/^timed out$/, "timeout"],
  [/^(?:ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|EADDRNOTAVAIL)$/, "unreachable"],
  [/^(?:ECONNRESET|EPIPE|broken|UND_ERR_SOCKET)$/, "closed"],
  [/^(?:HPE_|not an answer$)/, "not_http"],
  [/^host_unknown$/, "name_unknown"],
  [/^(?:address_not_public|host_not_public|port_not_allowed|url_.*)$/, "address_not_allowed"],
  [/CERT|ALTNAME|ISSUER|SELF_SIGNED|UNABLE|SSL|TLS|EPROTO/, "certificate"],
];
