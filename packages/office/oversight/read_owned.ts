import { type DeliveryAttempt, PAGE_LIMIT_MAX, type PartnerEvent } from "@sabika/protocol";
import type { Database } from "@sabika/database";
import type { Reading } from "@sabika/service/trading";
import { findOwner } from "./find_owner.ts";
import type { QuoteOf } from "./list_quotes.ts";

/** An event with every attempt that is kept. */
export interface EventStory {
  readonly clientId: string;
  readonly event: PartnerEvent;
  /** Oldest first. */
  readonly attempts: readonly DeliveryAttempt[];
}

/** Reads a quote by its id, of any partner; undefined when there is none. */
export async function readQuoteOf(
  database: Database,
  reading: Reading,
  id: string,
): Promise<QuoteOf | undefined> {
  const owner = await findOwner(database, "qt", id);
  if (owner === undefined) return undefined;
  const { partnerId, clientId, uuid: quoteId } = owner;
  const quote = await reading.getQuote({ partnerId, quoteId });
  return quote && { ...quote, clientId };
}

/** Reads an event by its id, of any partner, with its attempts; undefined when there is none. */
export async function readEventStory(
  database: Database,
  reading: Reading,
  id: string,
): Promise<EventStory | undefined> {
  const owner = await findOwner(database, "evt", id);
  if (owner === undefined) return undefined;
  const { partnerId, clientId, uuid: eventId } = owner;
  const event = await reading.getEvent({ partnerId, eventId });
  if (event === undefined) return undefined;
  return { clientId, event, attempts: await everyAttempt(reading, { partnerId, eventId }) };
}

async function everyAttempt(
  reading: Reading,
  event: { partnerId: number; eventId: string },
): Promise<DeliveryAttempt[]> {
  const attempts: DeliveryAttempt[] = [];
  let cursor: string | undefined;
  do {
    const found = await reading.listAttempts({ ...event, limit: PAGE_LIMIT_MAX, cursor });
    if (!found?.ok) break;
    attempts.push(...found.page.data);
    cursor = found.page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  return attempts.reverse();
}
