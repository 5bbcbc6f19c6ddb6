import { setTimeout as pause } from "node:timers/promises";
import type { Violation } from "../support/history/checker.ts";
import { withoutCalls } from "./judge.ts";
import type { RunSurroundings } from "./options.ts";
import { askHomes } from "./read_books.ts";
import type { StackWorld } from "./stack_world.ts";

interface EventRow {
  readonly partner: number;
  readonly event_id: string;
  readonly type: string;
}

const PATIENCE_MS = 300_000;

/**
 * Returns the violations of I11 (every event arrives, signed, under its id). An endpoint that failed is tried
 * again only after minutes (Decision D35), so an operator enables all of them when the first wait is over.
 */
export async function undelivered(
  world: StackWorld,
  { tell, signal }: RunSurroundings,
): Promise<Violation[]> {
  const { receiver, rich, poor, operator } = world;
  let left = await readEvents(world);
  const wait = async () => {
    for (const endMs = Date.now() + PATIENCE_MS; Date.now() < endMs && !signal.aborted;) {
      left = left.filter(({ partner, event_id }) => !receiver.taken.get(partner)?.has(event_id));
      if (left.length === 0) return;
      await pause(500);
    }
  };
  await wait();
  if (left.length > 0 && !signal.aborted) {
    tell(`${left.length} events wait; the endpoints are enabled`);
    for (const { partner } of [...rich, poor]) {
      await operator("webhook", "enable", partner.clientId);
    }
    await wait();
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
