import { OF_ONE_CELL, watchInvariants } from "../faults/invariants.ts";
import { pause } from "../faults/waiting.ts";
import { check, type Violation } from "./checker.ts";
import { undelivered } from "./deliveries.ts";
import { History } from "./history.ts";
import { bare, slow, unconcerned } from "./judge.ts";
import { type Life, type Process, watchMemory } from "./memory.ts";
import type { RunOptions } from "./options.ts";
import { placesOf } from "./places.ts";
import { readBooks } from "./read_books.ts";
import { probersOf, untilWhole } from "./recovery.ts";
import { planStrikes } from "./schedule.ts";
import { openStackWorld, type StackWorld } from "./stack_world.ts";
import { bringAbout, kindsIn, PAIRABLE, type Struck, whyLeftOut } from "./strikes.ts";
import { startWorkload } from "./workload.ts";

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
  /** How often all invariants were checked meanwhile. */
  readonly checks: number;
  readonly deliveries: number;
  readonly struck: readonly Struck[];
  readonly violations: readonly Violation[];
  readonly counts: Readonly<Record<string, number>>;
  /** Of each of the stack's processes the one that lived longest. */
  readonly lives: readonly Life[];
  /** Why kinds of faults were left out here. */
  readonly leftOut: readonly string[];
  readonly isInterrupted: boolean;
}

/** With more cells one more than these, so that all have some. */
const LEAST_BANKS = 5;
const WORKERS = 24;
const START_MS = 120_000;
const PROGRESS_MS = 10_000;
const MEMORY_MS = 15_000;
const SNAPSHOT_MS = 3_000;
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
  const { instances, cells, built, isSparing } = options;
  // The last bank has money for one thing at a time.
  const banks = Math.max(LEAST_BANKS, cells + 1);
  const choices = { instances, cells, banks, now, built, isSparing };
  const world = await openStackWorld(history, choices);
  try {
    await untilWhole(world, probersOf(world), {
      ...{ now, signal, patienceMs: START_MS },
      giveUp(why) {
        throw new Error(`the stack does not serve: ${why}`);
      },
    });
    for (const bank of world.banks.slice(0, -1)) {
      await bank.write({ kind: "fund", key: "first", body: '{"amount_sar":10000000}' });
    }
    return await strikeAndJudge(world, history, options, { ...surroundings, startMs });
  } finally {
    await world.close();
  }
}

function processesOf({ stack }: StackWorld): Process[] {
  const [delivery, { pid }] = [stack.delivery(), stack.sidecar()];
  const all = [...stack.instances(), ...delivery === undefined ? [] : [delivery]];
  return [...all, { name: "Envoy", pid }];
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
  const watched = world.cells.length === 0
    ? [world.control]
    : placesOf(world).map(({ database }) => ({ database, invariants: OF_ONE_CELL }));
  const watch = watchInvariants(watched, SNAPSHOT_MS);
  const memory = watchMemory(() => processesOf(world), { now, everyMs: MEMORY_MS });
  const workload = startWorkload({
    ...{ history, banks: world.banks, seed, now, instances: 1, workers: WORKERS },
    // No fault strikes a stack without load: calls go on until the last one is over.
    operations: Infinity,
  });
  const struck: Struck[] = [];
  let before = 0;
  const progress = setInterval(() => {
    const { length } = history.calls;
    tell(
      `${((now() - startMs) / 1_000).toFixed(0)} s  ${length} calls ` +
        `(${((length - before) / PROGRESS_MS * 1_000).toFixed(0)}/s), ${struck.length} of ` +
        `${options.faults} faults, ${watch.rounds} checks, ` +
        `${world.receiver.deliveries} deliveries`,
    );
    before = length;
  }, PROGRESS_MS);
  let stays: string[] = [];
  try {
    const isOver = () => signal.aborted || now() > endMs;
    const strikes = { now, signal, tell, isOver };
    const isWhole = await strikeAll(world, history, options, struck, strikes);
    while (isWhole && !isOver() && history.calls.length < operations) await pause(100);
    await workload.stop();
    if (!signal.aborted) stays = await workload.settle(SETTLE_MS);
  } finally {
    clearInterval(progress);
  }
  tell("all calls are over; the books are checked");
  const books = await readBooks(world);
  const violations = [
    ...check(history.calls, books.tables),
    ...books.violations,
    ...unconcerned(struck, history.calls),
    ...(await watch.stop()).map(({ invariant, partner, what }) => bare(invariant, what, partner)),
    ...stays.map((key) => bare("I12", `${key} stays unknown`)),
    ...slow(struck),
    ...await undelivered(world, { now, tell, signal, patienceMs }),
  ];
  return {
    options,
    operations: history.calls.length,
    unknown: history.calls.filter(({ outcome }) => outcome === "unknown").length,
    seconds: (now() - startMs) / 1_000,
    checks: watch.rounds,
    deliveries: world.receiver.deliveries,
    struck,
    violations,
    counts: history.counts(),
    lives: memory.stop(),
    leftOut: whyLeftOut(world).map(({ why }) => why),
    isInterrupted: signal.aborted,
  };
}

/** @returns whether the stack was whole after each of them; no other strikes after one where it was not */
async function strikeAll(
  world: StackWorld,
  history: History,
  { operations, faults, seed, only = /^/ }: RunOptions,
  struck: Struck[],
  { now, signal, tell, isOver }: RunSurroundings & { isOver: () => boolean },
): Promise<boolean> {
  const kinds = kindsIn(world).filter((kind) => only.test(kind));
  for (const strike of planStrikes({ seed, operations, faults, kinds, pairable: PAIRABLE })) {
    while (!isOver() && history.calls.length < strike.atOperation) await pause(50);
    if (isOver()) return true;
    const one = await bringAbout(world, strike, { now, signal });
    struck.push(one);
    tell(`fault ${describeStrike(one)}`);
    if (one.recoveredMs === undefined) return false;
  }
  return true;
}

/** A fault and how it ended, in a line. */
export function describeStrike({ strike, recoveredMs, trouble }: Struck): string {
  const { names, holdMs, number } = strike;
  const recovered = recoveredMs === undefined ? "NOT WHOLE" : `whole after ${recoveredMs} ms`;
  const lasting = `${number}: ${names.join(" + ")}, ${holdMs} ms; ${recovered}`;
  return trouble === "" ? lasting : `${lasting} (${trouble})`;
}
