import {
  type Environment,
  type EventDelivery,
  formatTime,
  type PartnerEvent,
} from "@sabika/protocol";
import { and, asc, desc, eq, gt, gte, lt, type Placeholder, type SQL, sql } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";
import { type Database, type Inputs, plainArray, preparedQuery } from "@sabika/database";
import { eventFromRow, withResources } from "../events/render_event.ts";
import { events } from "../events/tables.ts";
import {
  type Listing,
  type ListInputs,
  type ListQuery,
  madeInPeriod,
  readPage,
  selectKey,
} from "../lists/list_query.ts";
import { type AttemptSummary, summarizeAttempts } from "./read_attempts.ts";
import { eventDeliveries, webhookLanes } from "./tables.ts";

const { partnerId, sequence } = events;
const { state } = eventDeliveries;

/** More than servers' clocks differ, by which some events are dated (Decision D12). */
const SLACK = sql.raw("interval '5 s'");

/**
 * Where the events of a status are found, so that a list reads only those: with a row in one of these
 * states, or without a row and on this side of the partner's cursor.
 */
interface Sources {
  readonly states: readonly (typeof eventDeliveries.$inferSelect)["state"][];
  readonly side?: { readonly ahead: 1 } | { readonly behind: 1 };
}

const SOURCES_OF: Readonly<Record<EventDelivery["status"], Sources>> = {
  pending: { states: ["failing", "requested"], side: { ahead: 1 } },
  delivered: { states: ["delivered"], side: { behind: 1 } },
  exhausted: { states: ["exhausted"] },
};

/** What narrows a list of events; `madeAt` where the resource is an order. */
type EventsGiven =
  & ListInputs
  & Inputs<never, "eventId" | "state" | "ahead" | "behind" | "floor" | "resourceId" | "madeAt">;

/** Limits a list to the numbers of its period, so that it reads no other events. */
function numberedIn(number: PgColumn, values: EventsGiven): SQL | undefined {
  const { before, from, to, madeAt } = values;
  const firstAt = (moment: SQL) =>
    sql`(select first_event_at(${values.partnerId}::integer, ${moment}))`;
  const shortlyBefore = (moment: Placeholder) => firstAt(sql`${moment}::timestamptz - ${SLACK}`);
  const shortlyAfter = (moment: Placeholder) => firstAt(sql`${moment}::timestamptz + ${SLACK}`);
  return and(
    before && lt(number, before),
    values.floor && gte(number, values.floor),
    from && gte(number, shortlyBefore(from)),
    to && lt(number, shortlyAfter(to)),
    madeAt && and(gte(number, shortlyBefore(madeAt)), lt(number, shortlyAfter(madeAt))),
  );
}

/** Conditions on the event itself. */
function isAsked(values: EventsGiven): SQL | undefined {
  const { eventId, resourceId, madeAt } = values;
  return and(
    madeInPeriod(events.createdAt, values),
    eventId && eq(events.eventId, eventId),
    resourceId && eq(events.resourceId, resourceId),
    // An order's only event was written with it; an index finds the events of other resources.
    resourceId && (madeAt ? undefined : sql`${events.type} <> 'order.executed'`),
  );
}

/** The numbers of the newest events that meet the conditions. */
const selectSequences = preparedQuery((orm, values: EventsGiven) => {
  const cursor = sql`(select ${webhookLanes.nextSequence} from ${webhookLanes}
    where ${webhookLanes.partnerId} = ${values.partnerId})`;
  // A subquery for each event, since a page needs few: a join would be planned for all of them.
  const hasNoRow = sql`coalesce((select false from ${eventDeliveries}
    where ${eventDeliveries.partnerId} = ${partnerId}
      and ${eventDeliveries.sequence} = ${sequence}), true)`;
  return orm.select({ sequence: sql<bigint>`${sequence}` }).from(events).where(and(
    eq(partnerId, values.partnerId),
    numberedIn(sequence, values),
    isAsked(values),
    values.ahead && and(sql`${sequence} >= ${cursor}`, hasNoRow),
    values.behind && and(sql`${sequence} < ${cursor}`, hasNoRow),
  )).orderBy(desc(sequence)).limit(values.limit);
});

/** The numbers of the newest events whose delivery has a row in this state. */
const selectSequencesOfState = preparedQuery((orm, values: EventsGiven) => {
  const asked = isAsked(values);
  const { partnerId: owner, sequence: number } = eventDeliveries;
  return orm.select({ sequence: sql<bigint>`${number}` }).from(eventDeliveries).where(and(
    eq(owner, values.partnerId),
    eq(state, values.state!),
    numberedIn(number, values),
    asked && sql`coalesce((select ${asked} from ${events}
      where ${partnerId} = ${owner} and ${sequence} = ${number}), false)`,
  )).orderBy(desc(number)).limit(values.limit);
});

/** The numbers of the events after a number, oldest first. */
const selectSequencesAfter = preparedQuery(
  (orm, values: Inputs<"partnerId" | "limit" | "after">) =>
    orm.select({ sequence: sql<bigint>`${sequence}` }).from(events)
      .where(and(eq(partnerId, values.partnerId), gt(sequence, values.after)))
      .orderBy(asc(sequence)).limit(values.limit),
);

type Numbered = Inputs<"partnerId" | "numbers">;

/** The rows of these events' deliveries; most events have none. */
const selectDeliveries = preparedQuery((orm, values: Numbered) =>
  orm.select().from(eventDeliveries).where(and(
    eq(eventDeliveries.partnerId, values.partnerId),
    sql`${eventDeliveries.sequence} = any (${values.numbers}::bigint[])`,
  ))
);

const selectLane = preparedQuery((orm, values: Inputs<"partnerId">) =>
  orm.select().from(webhookLanes).where(eq(webhookLanes.partnerId, values.partnerId))
);

/** These events with their resources, newest first. */
const selectObjects = preparedQuery((orm, values: Numbered) =>
  withResources(orm).where(and(
    eq(partnerId, values.partnerId),
    sql`${sequence} = any (${values.numbers}::bigint[])`,
  )).orderBy(desc(sequence))
);

type Lane = Awaited<ReturnType<typeof selectLane>>[number];
type DeliveryRow = Awaited<ReturnType<typeof selectDeliveries>>[number];

/** Reads an event with its delivery, by its UUID; undefined when the partner has no such event. */
export async function getEvent(
  database: Database,
  query: { partnerId: number; eventId: string; environment: Environment },
): Promise<PartnerEvent | undefined> {
  const { partnerId, eventId, environment } = query;
  const found = await selectSequences(database.sql, { partnerId, eventId, limit: 1 });
  return (await readEvents(database, partnerId, found, environment))[0];
}

/**
 * Lists events with their deliveries, newest first; `status` is that of the delivery. With `afterSequence`
 * oldest first: a partner's numbers are assigned under a lock that is held until the commit, so they
 * become visible in order, and no event ever appears before one that was read.
 */
export async function listEvents(
  database: Database,
  query: ListQuery & { environment: Environment },
): Promise<Listing<PartnerEvent>> {
  const { partnerId, status, environment, afterSequence } = query;
  if (afterSequence !== undefined) return await listAfter(database, query, afterSequence);
  return await readPage(
    "events",
    query,
    async ({ limit, before, from, to, idempotencyKey }) => {
      const ofKey = await valuesOfKey(database, partnerId, idempotencyKey);
      if (ofKey === undefined) return [];
      const values = { partnerId, limit, before, from, to, ...ofKey };
      const rows = await selectOfStatus(database, values, status);
      return await readEvents(database, partnerId, rows.slice(0, limit), environment);
    },
    (event) => event,
    (event) => String(event.sequence),
  );
}

function listAfter(
  database: Database,
  query: ListQuery & { environment: Environment },
  afterSequence: number,
): Promise<Listing<PartnerEvent>> {
  const { partnerId, environment } = query;
  return readPage(
    "events_after",
    query,
    async ({ limit, before: cursor }) => {
      const values = { partnerId, limit, after: cursor ?? afterSequence };
      const rows = await selectSequencesAfter(database.sql, values);
      return (await readEvents(database, partnerId, rows, environment)).reverse();
    },
    (event) => event,
    (event) => String(event.sequence),
  );
}

type EventsValues = Parameters<typeof selectSequences>[1];
type SequenceRow = Awaited<ReturnType<typeof selectSequences>>[number];

/** The conditions for the events of what a key made; undefined when it made nothing. */
async function valuesOfKey(
  { sql: pool }: Database,
  partnerId: number,
  idempotencyKey: string | undefined,
): Promise<Pick<EventsValues, "resourceId" | "madeAt"> | undefined> {
  if (idempotencyKey === undefined) return {};
  const [key] = await selectKey(pool, { partnerId, idempotencyKey });
  if (key === undefined) return undefined;
  const { resourceId, resourceKind, createdAt } = key;
  return { resourceId, madeAt: resourceKind === "order" ? formatTime(createdAt) : undefined };
}

/** The numbers of the events of one status or of all, newest first; may return more than a page. */
async function selectOfStatus(
  { sql: pool }: Database,
  values: EventsValues,
  status: string | undefined,
): Promise<SequenceRow[]> {
  if (status === undefined) return await selectSequences(pool, values);
  if (!Object.hasOwn(SOURCES_OF, status)) return [];
  const { states, side } = SOURCES_OF[status as EventDelivery["status"]];
  const found = await Promise.all(
    states.map((state) => selectSequencesOfState(pool, { ...values, state })),
  );
  const withRow = newestFirst(found.flat());
  if (side === undefined) return withRow;
  // Events older than a whole page of these cannot be on the page.
  const floor = withRow[values.limit as number - 1];
  const withoutRow = { ...values, ...side, floor: floor && String(floor.sequence) };
  return newestFirst([...withRow, ...await selectSequences(pool, withoutRow)]);
}

function newestFirst(rows: SequenceRow[]): SequenceRow[] {
  return rows.sort((first, other) => Number(other.sequence) - Number(first.sequence));
}

/** The events of these numbers with their deliveries, newest first. */
async function readEvents(
  { sql: pool }: Database,
  partnerId: number,
  sequences: readonly SequenceRow[],
  environment: Environment,
): Promise<PartnerEvent[]> {
  if (sequences.length === 0) return [];
  const query = { partnerId, numbers: plainArray(sequences.map((row) => String(row.sequence))) };
  const [rows, deliveries, [lane], attempts] = await Promise.all([
    selectObjects(pool, query),
    selectDeliveries(pool, query),
    selectLane(pool, { partnerId }),
    summarizeAttempts(pool, query),
  ]);
  const rowOf = new Map(deliveries.map((row) => [row.sequence, row]));
  const triedOf = new Map(attempts.map((row) => [row.sequence, row]));
  return rows.map((row) => {
    const { sequence } = row.event;
    const known = { row: rowOf.get(sequence), tried: triedOf.get(sequence), lane };
    return { ...eventFromRow(row, environment), delivery: readDelivery(row.event, known) };
  });
}

function readDelivery(
  { sequence, createdAt }: { sequence: bigint; createdAt: number },
  { row, tried, lane }: {
    row: DeliveryRow | undefined;
    tried: AttemptSummary | undefined;
    lane: Lane | undefined;
  },
): EventDelivery {
  // An event before the partner's cursor without a row was delivered at the first attempt.
  const isPassed = lane !== undefined && sequence < lane.nextSequence;
  const status = row?.state === "delivered" || row?.state === "exhausted"
    ? row.state
    : row === undefined && isPassed
    ? "delivered"
    : "pending";
  const nextMs = status === "pending" ? nextAttemptAt(sequence, row, lane) : null;
  return {
    status,
    // Attempts are kept for a limited time, the rest of an event for ever.
    attempts: Math.max(tried?.attempts ?? 0, row?.attempts ?? (isPassed ? 1 : 0)),
    // The lane's time may be earlier than the event.
    nextAttemptAtMs: nextMs && Math.max(nextMs, createdAt),
    deliveredAtMs: tried?.acceptedAtMs ?? (row?.state === "delivered" ? row.lastAttemptAt : null),
  };
}

function nextAttemptAt(
  sequence: bigint,
  row: DeliveryRow | undefined,
  lane: Lane | undefined,
): number | null {
  if (row && row.nextAttemptAt !== null) return row.nextAttemptAt;
  const isNext = lane !== undefined && sequence === lane.nextSequence && lane.disabledAt === null;
  return isNext ? lane.nextAttemptAt : null;
}
