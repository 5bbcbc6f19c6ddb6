import process from "node:process";
import { watchInvariants } from "../faults/invariants.ts";
import { check, type Violation } from "./checker.ts";
import { History } from "./history.ts";
import type { RunOptions } from "./options.ts";
import { LONGEST_RECOVERY_MS, untilWhole } from "./recovery.ts";
import { planStrikes } from "./schedule.ts";
import { readSnapshot, type Snapshot } from "./snapshot.ts";
import { openStackWorld, type StackWorld } from "./stack_world.ts";
import { bringAbout, kindsIn, PAIRABLE, type Struck } from "./strikes.ts";
import { startWorkload, type Workload } from "./workload.ts";
import { pause } from "../faults/waiting.ts";

export interface RunSurroundings {
  readonly now: () => number;
  readonly signal: AbortSignal;
  readonly tell: (line: string) => void;
}

/** What a run came to. */
export interface RunResult {
  readonly options: RunOptions;
  readonly operations: number;
  readonly unknown: number;
  readonly seconds: number;
  readonly snapshots: number;
  readonly deliveries: number;
  readonly struck: readonly Struck[];
  readonly violations: readonly Violation[];
  readonly counts: Readonly<Record<string, number>>;
  /** Why kinds of faults were left out here. */
  readonly leftOut: readonly string[];
}

const BANKS = 5;
const WORKERS = 24;
const PROGRESS_MS = 10_000;
const SETTLE_MS = 90_000;

/** Runs a load through Envoy while faults strike the stack, and judges all that came of it. */
export async function runNemesis(
  options: RunOptions,
  surroundings: RunSurroundings,
): Promise<RunResult> {
  const { now, signal, tell } = surroundings;
  const startMs = now();
  const history = new History();
  tell(`seed ${options.seed}: the stack is started`);
  const { instances } = options;
  // The last but one only asks whether service is whole; the last has money for one thing at a time.
  const world = await openStackWorld(history, { instances, banks: BANKS, now });
  try {
    const isWhole = await untilWhole(world, world.banks[0]!, {
      ...{ now, signal, patienceMs: LONGEST_RECOVERY_MS },
    });
    if (isWhole === undefined) throw new Error("the stack does not serve");
    for (const bank of world.banks.slice(0, -1)) {
      await bank.write({ kind: "fund", key: "first", body: '{"amount_sar":10000000}' });
    }
    return await strikeAndJudge(world, history, options, { ...surroundings, startMs });
  } finally {
    await world.close();
  }
}

async function strikeAndJudge(
  world: StackWorld,
  history: History,
  options: RunOptions,
  { now, signal, tell, startMs }: RunSurroundings & { startMs: number },
): Promise<RunResult> {
  const { operations, seed, deliverySeconds } = options;
  const patienceMs = deliverySeconds * 1_000;
  const endMs = now() + options.minutes * 60_000;
  const watch = watchInvariants(world.database, 3_000);
  const workload = startWorkload({
    ...{ history, banks: world.banks, seed, now, instances: 1, workers: WORKERS },
    // No fault strikes a stack without load: calls go on until the last one is over.
    operations: Infinity,
  });
  const struck: Struck[] = [];
  const progress = setInterval(() => {
    const rss = (process.memoryUsage.rss() / 2 ** 20).toFixed(0);
    tell(
      `${((now() - startMs) / 1_000).toFixed(0)} s  ${history.calls.length} calls, ` +
        `${struck.length} of ${options.faults} faults, ${watch.snapshots} snapshots, ` +
        `${world.receiver.deliveries} deliveries, ${rss} MB here`,
    );
  }, PROGRESS_MS);
  let stays: string[] = [];
  try {
    const isOver = () => signal.aborted || now() > endMs;
    await strikeAll(world, workload, history, options, struck, { now, signal, tell, isOver });
    while (!isOver() && history.calls.length < operations) await pause(100);
    await workload.stop();
    if (!signal.aborted) stays = await workload.settle(SETTLE_MS);
  } finally {
    clearInterval(progress);
  }
  tell("all calls are over; the books are checked");
  const partners = world.banks.map(({ caller }) => caller.partnerId);
  const tables = await readSnapshot(world.database.sql, partners);
  const violations = [
    ...check(history.calls, tables),
    ...(await watch.stop()).map(({ invariant, partner, what }) => bare(invariant, what, partner)),
    ...stays.map((key) => bare("I12", `${key} stays unknown`)),
    ...slow(struck),
    ...(signal.aborted ? [] : await undelivered(world, tables, { now, tell, patienceMs })),
  ];
  return {
    options,
    operations: history.calls.length,
    unknown: history.calls.filter(({ outcome }) => outcome === "unknown").length,
    seconds: (now() - startMs) / 1_000,
    snapshots: watch.snapshots,
    deliveries: world.receiver.deliveries,
    struck,
    violations,
    counts: history.counts(),
    leftOut: world.disk === undefined ? ["disk full: no root to mount a small disk"] : [],
  };
}

async function strikeAll(
  world: StackWorld,
  workload: Workload,
  history: History,
  { operations, faults, seed }: RunOptions,
  struck: Struck[],
  { now, signal, tell, isOver }: RunSurroundings & { isOver: () => boolean },
): Promise<void> {
  const kinds = kindsIn(world);
  for (const strike of planStrikes({ seed, operations, faults, kinds, pairable: PAIRABLE })) {
    while (!isOver() && history.calls.length < strike.atOperation) await pause(50);
    if (isOver()) return;
    const one = await bringAbout(world, world.banks[0]!, strike, { now, signal });
    struck.push(one);
    const { names, holdMs, number } = strike;
    const recovered = one.recoveredMs === undefined ? "NOT WHOLE" : `${one.recoveredMs} ms`;
    const trouble = one.trouble === "" ? "" : ` (${one.trouble})`;
    tell(`fault ${number}: ${names.join(" + ")}, ${holdMs} ms; whole after ${recovered}${trouble}`);
    if (one.recoveredMs === undefined) return await workload.stop();
  }
}

function bare(invariant: string, what: string, partner: number | null = null): Violation {
  return {
    invariant: invariant.slice(0, 3).trim(),
    partner: partner ?? 0,
    what,
    about: [],
    calls: [],
  };
}

function slow(struck: readonly Struck[]): Violation[] {
  return struck
    .filter(({ recoveredMs }) => recoveredMs === undefined || recoveredMs > LONGEST_RECOVERY_MS)
    .map(({ strike, recoveredMs }) =>
      bare("I12", `${strike.names.join(" + ")}: whole after ${recoveredMs ?? "never"} ms`)
    );
}

/**
 * I11: every event arrives, signed, under its id. Who is still waited for when the patience ends is no
 * violation as long as the service itself says that it has yet to deliver it.
 */
async function undelivered(
  { receiver, database: { sql } }: StackWorld,
  tables: Snapshot,
  { now, tell, patienceMs }: Pick<RunSurroundings, "now" | "tell"> & { patienceMs: number },
): Promise<Violation[]> {
  const missing = () =>
    tables.events.filter(({ partner, event_id }) => !receiver.taken.get(partner)?.has(event_id));
  for (const endMs = now() + patienceMs; missing().length > 0 && now() < endMs;) await pause(500);
  // Asked before the receiver is: what arrives in between is not missed.
  const rows = await sql<{ event_id: string }[]>`
    select e.event_id from events e join webhook_lanes l using (partner_id)
    left join event_deliveries d using (partner_id, sequence)
    where e.sequence >= l.next_sequence or d.state in ('failing', 'requested')`;
  const waiting = new Set(rows.map(({ event_id }) => event_id));
  const left = missing().filter(({ event_id }) => !waiting.has(event_id));
  const late = missing().length - left.length;
  if (late > 0) tell(`${late} events are still to be delivered`);
  const known = new Set(tables.events.map(({ event_id }) => event_id));
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
