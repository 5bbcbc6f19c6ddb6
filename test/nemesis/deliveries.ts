import { setTimeout as pause } from "node:timers/promises";
import { type Violation, withoutCalls } from "../support/history/checker.ts";
import type { RunSurroundings } from "./options.ts";
import { askHomes } from "./read_books.ts";
import type { StackWorld } from "./stack_world.ts";

interface EventRow {
  readonly partner: number;
  readonly event_id: string;
  readonly type: string;
}

/** No event that is due waits for so long while others arrive: a lease ends after 5 s (Decision D35). */
const QUIET_MS = 60_000;
/** After this time `SabikaWebhooksLate` would tell the operator (Decision D54). */
const LATE_MS = 600_000;

/**
 * Waits until every event has arrived, however far deliveries are behind, and returns the violations of I11
 * (every event arrives, signed, under its id). An endpoint that failed is tried again only after minutes
 * (Decision D35), so an operator enables all of them when nothing arrives any more.
 */
export async function undelivered(
  world: StackWorld,
  { tell, signal }: RunSurroundings,
): Promise<Violation[]> {
  const { receiver, rich, poor, operator } = world;
  let left = await readEvents(world);
  /** Waits until nothing is left, or nothing has arrived for a while. */
  const wait = async (quietMs: number) => {
    for (let endMs = Date.now() + quietMs; Date.now() < endMs && !signal.aborted;) {
      const before = left.length;
      left = left.filter(({ partner, event_id }) => !receiver.taken.get(partner)?.has(event_id));
      if (left.length === 0) return;
      if (left.length < before) endMs = Date.now() + quietMs;
      await pause(500);
    }
  };
  await wait(QUIET_MS);
  if (left.length > 0 && !signal.aborted) {
    tell(`${left.length} events wait; the endpoints are enabled`);
    for (const { partner } of [...rich, poor]) {
      await operator("webhook", "enable", partner.clientId);
    }
    await wait(LATE_MS);
  }
  if (signal.aborted) return [];
  const known = new Set((await readEvents(world)).map(({ event_id }) => event_id));
  const unknownIds = [...receiver.taken.values()].flatMap((ids) => [...ids])
    .filter((id) => !known.has(id));
  return [
    ...left.map(({ partner, event_id, type }) =>
      withoutCalls("I11", `${type} ${event_id} was never delivered`, partner)
    ),
    ...unknownIds.map((id) => withoutCalls("I11", `event ${id} was delivered but does not exist`)),
    ...receiver.forged.map((what) => withoutCalls("I11", `a delivery was not signed: ${what}`)),
  ];
}

const readEvents = (world: StackWorld): Promise<EventRow[]> =>
  askHomes(world, ({ database }, partners) =>
    database.sql<EventRow[]>`
      select partner_id as partner, event_id, type from events
      where partner_id = any (${`{${partners.join()}}`}::integer[])`);
