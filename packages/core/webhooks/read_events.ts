import type { Environment, EventDelivery, PartnerEvent } from "@sabika/protocol";
import { and, desc, eq, lt, sql } from "drizzle-orm";
import { plainArray } from "../store/array_text.ts";
import type { Database } from "../store/database.ts";
import {
  type ListGiven,
  type Listing,
  type ListQuery,
  madeByKey,
  madeInPeriod,
  readPage,
} from "../store/list_query.ts";
import { type Given, preparedQuery } from "../store/prepared_query.ts";
import { eventDeliveries, events, webhookLanes } from "../store/schema/webhooks.ts";
import { eventFromRow, withResources } from "./event_rows.ts";

const { partnerId, sequence } = events;
const { state } = eventDeliveries;

// An event behind the partner's cursor that has no row of its own was delivered at once.
const STATUS = sql<EventDelivery["status"]>`case
  when ${state} in ('delivered', 'exhausted') then ${state}
  when ${state} is null and ${sequence} < ${webhookLanes.nextSequence} then 'delivered'
  else 'pending' end`;

/** How the deliveries of the newest events stand on which the conditions hold. */
const selectDeliveries = preparedQuery(
  (orm, given: ListGiven & Given<never, "eventId" | "status">) => {
    const { before, status, eventId, idempotencyKey } = given;
    const lane = eq(webhookLanes.partnerId, partnerId);
    const delivery = and(
      eq(eventDeliveries.partnerId, partnerId),
      eq(eventDeliveries.sequence, sequence),
    );
    return orm
      .select({ sequence, status: STATUS, delivery: eventDeliveries, lane: webhookLanes })
      .from(events).leftJoin(webhookLanes, lane).leftJoin(eventDeliveries, delivery)
      .where(and(
        eq(partnerId, given.partnerId),
        before && lt(sequence, before),
        madeInPeriod(events.createdAt, given),
        eventId && eq(events.eventId, eventId),
        status && sql`${STATUS} = ${status}`,
        idempotencyKey && eq(events.resourceId, madeByKey(given)),
      ))
      .orderBy(desc(sequence)).limit(given.limit);
  },
);

const selectNumbered = preparedQuery((orm, given: Given<"partnerId" | "numbers">) =>
  withResources(orm)
    .where(and(
      eq(partnerId, given.partnerId),
      sql`${sequence} = any (${given.numbers}::bigint[])`,
    ))
    .orderBy(desc(sequence))
);

type DeliveryRow = Awaited<ReturnType<typeof selectDeliveries>>[number];

/** One event with its delivery, or undefined when the partner has none of this id. */
export async function getEvent(
  database: Database,
  of: { partnerId: number; eventId: string; environment: Environment },
): Promise<PartnerEvent | undefined> {
  const { partnerId, eventId, environment } = of;
  return (await readEvents(database, { partnerId, eventId, limit: 1 }, environment))[0];
}

/** Events with their deliveries, newest first; `status` is that of the delivery. */
export async function listEvents(
  database: Database,
  query: ListQuery & { environment: Environment },
): Promise<Listing<PartnerEvent>> {
  const { status, environment } = query;
  return await readPage(
    "events",
    query,
    (values) => readEvents(database, { ...values, status }, environment),
    (event) => event,
    (event) => String(event.sequence),
  );
}

/** The deliveries first, whose status may decide which events are listed. */
async function readEvents(
  { sql: pool }: Database,
  values: Parameters<typeof selectDeliveries>[1] & { partnerId: number },
  environment: Environment,
): Promise<PartnerEvent[]> {
  const deliveries = await selectDeliveries(pool, values);
  if (deliveries.length === 0) return [];
  const numbers = plainArray(deliveries.map((row) => row.sequence));
  const rows = await selectNumbered(pool, { partnerId: values.partnerId, numbers });
  return rows.map((row, index) => ({
    ...eventFromRow(row, environment),
    delivery: readDelivery(deliveries[index]!),
  }));
}

function readDelivery({ sequence, status, delivery, lane }: DeliveryRow): EventDelivery {
  const isPassed = lane !== null && sequence < lane.nextSequence;
  return {
    status,
    attempts: delivery?.attempts ?? (isPassed ? 1 : 0),
    nextAttemptAtMs: status === "pending" ? nextAttemptAt(sequence, delivery, lane) : null,
    deliveredAtMs: delivery?.state === "delivered" ? delivery.lastAttemptAt : null,
  };
}

function nextAttemptAt(
  sequence: bigint,
  delivery: DeliveryRow["delivery"],
  lane: DeliveryRow["lane"],
): number | null {
  if (delivery && delivery.nextAttemptAt !== null) return delivery.nextAttemptAt;
  const isNext = lane !== null && sequence === lane.nextSequence && lane.disabledAt === null;
  return isNext ? lane.nextAttemptAt : null;
}
