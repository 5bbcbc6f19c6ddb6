import { pause } from "../faults/waiting.ts";
import type { Violation } from "./checker.ts";
import { bare } from "./judge.ts";
import { askHomes } from "./read_books.ts";
import type { StackWorld } from "./stack_world.ts";

interface Waiting {
  readonly now: () => number;
  readonly tell: (line: string) => void;
  readonly signal: AbortSignal;
  readonly patienceMs: number;
}

interface EventRow {
  readonly partner: number;
  readonly event_id: string;
  readonly type: string;
}

/**
 * I11: every event arrives, signed, under its id. An endpoint that was in trouble waits for its next
 * attempt for minutes (Decision D35), so after half the patience an operator enables all of them, which
 * is what is there for it; all must arrive then.
 */
export async function undelivered(world: StackWorld, waiting: Waiting): Promise<Violation[]> {
  const { receiver, banks, operator } = world;
  const { now, tell, signal, patienceMs } = waiting;
  const events = await readEvents(world);
  let left = events;
  // What has arrived is looked at no more: this process is the receiver too, and must not keep it busy.
  const missing = () =>
    left = left.filter(({ partner, event_id }) => !receiver.taken.get(partner)?.has(event_id));
  const wait = async (ms: number) => {
    const endMs = now() + ms;
    for (let n = 1; missing().length > 0 && now() < endMs && !signal.aborted; n++) {
      await pause(500);
      if (n % 20 === 0) tell(`${missing().length} events are still to be delivered`);
    }
  };
  await wait(patienceMs / 2);
  if (missing().length > 0 && !signal.aborted) {
    tell(`${missing().length} events wait; the endpoints are enabled`);
    for (const line of await describeLanes(world)) tell(line);
    for (const { caller } of banks) {
      await operator("webhook", "enable", caller.partner.clientId);
    }
    await wait(patienceMs / 2);
  }
  if (signal.aborted) return [];
  if (missing().length > 0) { for (const line of await describeLanes(world)) tell(line); }
  const known = new Set((await readEvents(world)).map(({ event_id }) => event_id));
  const strange = [...receiver.taken.values()].flatMap((ids) => [...ids])
    .filter((id) => !known.has(id));
  return [
    ...left.map(({ partner, event_id, type }) =>
      bare("I11", `${type} ${event_id} was never delivered`, partner)
    ),
    ...strange.map((id) => bare("I11", `event ${id} was delivered and is not there`)),
    ...receiver.forged.map((what) => bare("I11", `a delivery was not signed: ${what}`)),
  ];
}

const readEvents = (world: StackWorld): Promise<EventRow[]> =>
  askHomes(world, ({ database }, partners) =>
    database.sql<EventRow[]>`
      select partner_id as partner, event_id, type from events
      where partner_id = any (${`{${partners.join()}}`}::integer[])`);

/** How the lanes stand, for whoever has to find out why something waits. */
async function describeLanes(world: StackWorld): Promise<string[]> {
  const rows = await askHomes(
    world,
    ({ database }, partners) =>
      database.sql<Record<string, unknown>[]>`
      select l.partner_id, a.last_event, l.next_sequence, l.attempts, l.failing_since,
        l.disabled_at, l.next_attempt_at, l.leased_until, clock_timestamp() as now,
        (select count(*)::integer from event_deliveries d where d.partner_id = l.partner_id
          and d.state = 'failing') as parked
      from webhook_lanes l join accounts a using (partner_id)
      where l.partner_id = any (${`{${partners.join()}}`}::integer[])`,
  );
  return rows.map((row) =>
    `lane: ${Object.entries(row).map(([name, value]) => `${name} ${String(value)}`).join(", ")}`
  );
}
