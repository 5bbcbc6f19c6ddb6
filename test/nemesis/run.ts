import { setTimeout as pause } from "node:timers/promises";
import { check, type Violation, withoutCalls } from "../support/history/checker.ts";
import { History } from "../support/history/history.ts";
import { settle } from "../support/history/settle.ts";
import { watchBooks } from "../support/history/watch_books.ts";
import { startWorkload, type Workload } from "../support/history/workload.ts";
import { findCorruption } from "./corruption.ts";
import { undelivered } from "./deliveries.ts";
import { disturbedOthers, slowRecoveries } from "./judge.ts";
import type { RunOptions, RunSurroundings } from "./options.ts";
import { startPeople } from "./people.ts";
import { placesOf } from "./places.ts";
import { readBooks } from "./read_books.ts";
import { wrongReceipts } from "./receipts.ts";
import { probersOf, untilServing } from "./recovery.ts";
import { planStrikes } from "./schedule.ts";
import { openStackWorld, type StackWorld } from "./stack_world.ts";
import { falseStatements } from "./word/judge_word.ts";
import { staleNotifications } from "./word/notifications.ts";
import { collectStatements } from "./word/statements.ts";
import {
  describeStrike,
  kindsIn,
  PAIRABLE,
  runStrike,
  type StrikeResult,
  whyLeftOut,
} from "./strikes.ts";

/** The result of a run. */
export interface RunResult {
  readonly options: RunOptions;
  readonly operations: number;
  readonly unknown: number;
  readonly seconds: number;
  /** How many times all books were checked during the run. */
  readonly checks: number;
  /** How often the service was asked how it is. */
  readonly statements: number;
  /** How many requests of one person another has decided. */
  readonly decisions: number;
  /** How many counts of the vault were acknowledged. */
  readonly vaultCounts: number;
  readonly deliveries: number;
  readonly struck: readonly StrikeResult[];
  readonly violations: readonly Violation[];
  readonly counts: Readonly<Record<string, number>>;
  /** The reasons for which kinds of faults were left out on this machine. */
  readonly leftOut: readonly string[];
  readonly isInterrupted: boolean;
}

const WORKERS = 24;
const START_MS = 120_000;
const PROGRESS_MS = 10_000;
const CHECK_MS = 3_000;
const SETTLE_MS = 90_000;

/** Runs a load while faults strike the stack, and checks the outcome; throws if the stack does not start. */
export async function runNemesis(
  options: RunOptions,
  surroundings: RunSurroundings,
): Promise<RunResult> {
  const { signal, tell } = surroundings;
  const startMs = Date.now();
  const history = new History();
  tell(`seed ${options.seed}: the stack is started`);
  const world = await openStackWorld(history, options);
  try {
    const giveUp = (why: string) => {
      throw new Error(`the stack does not serve: ${why}`);
    };
    await untilServing(world, probersOf(world), { signal, patienceMs: START_MS, giveUp });
    for (const caller of world.rich) {
      await caller.write("fund", '{"amount_sar":10000000}', { key: "first" });
    }
    return await strikeAndJudge(world, history, options, { signal, tell, startMs });
  } finally {
    await world.close();
  }
}

async function strikeAndJudge(
  world: StackWorld,
  history: History,
  options: RunOptions,
  { signal, tell, startMs }: RunSurroundings & { readonly startMs: number },
): Promise<RunResult> {
  const hasCells = world.cells.length > 0;
  const watch = watchBooks(
    placesOf(world).map(({ database }) => ({ database, hasCells })),
    CHECK_MS,
  );
  // Calls go on until the last fault is over.
  const workload = startWorkload({
    history,
    callers: world.rich,
    poor: world.poor,
    seed: options.seed,
    workers: WORKERS,
    hasty: 40,
  });
  const word = await collectStatements(world);
  const people = startPeople(world.people, world);
  const struck: StrikeResult[] = [];
  const progress = setInterval(() => {
    tell(
      `${((Date.now() - startMs) / 1_000).toFixed(0)} s  ${history.calls.length} calls, ` +
        `${struck.length} of ${options.faults} faults, ${watch.rounds} checks, ` +
        `${world.receiver.deliveries} deliveries`,
    );
  }, PROGRESS_MS);
  let unsettled: string[] = [];
  try {
    await strikeAll(world, workload, history, options, struck, { signal, tell });
    if (!signal.aborted) unsettled = await settle(history, [...world.rich, world.poor], SETTLE_MS);
  } finally {
    clearInterval(progress);
    await watch.stop();
    await word.stop();
    await people.stop();
  }
  tell("all calls are over; the events that wait are delivered");
  const lost = await undelivered(world, { tell, signal });
  tell(`${world.receiver.deliveries} deliveries; the books are checked`);
  const books = await readBooks(world);
  const violations = [
    ...check(history.calls, books.tables),
    ...books.violations,
    ...await findCorruption(placesOf(world), world.cluster?.standbys),
    ...await world.cluster?.judge() ?? [],
    ...await people.judge(),
    ...await wrongReceipts(world, { signal }),
    ...disturbedOthers(struck, history.calls),
    ...falseStatements(word.statements, history.calls, struck),
    ...await staleNotifications(world, signal),
    ...(await watch.stop()).map((finding) => ({ ...finding, calls: [] })),
    ...unsettled.map((key) => withoutCalls("I12", `${key} stays unknown`)),
    ...slowRecoveries(struck),
    ...lost,
  ];
  return {
    options,
    operations: history.calls.length,
    unknown: history.calls.filter(({ outcome }) => outcome === "unknown").length,
    seconds: (Date.now() - startMs) / 1_000,
    checks: watch.rounds,
    statements: word.statements.length,
    decisions: people.decisions.length,
    vaultCounts: people.counts.acknowledged.length,
    deliveries: world.receiver.deliveries,
    struck,
    violations,
    counts: history.counts(),
    leftOut: whyLeftOut(world).map(({ why }) => why),
    isInterrupted: signal.aborted,
  };
}

/** Lets the faults strike in turn, as long as the stack recovers, and then ends the load. */
async function strikeAll(
  world: StackWorld,
  workload: Workload,
  history: History,
  { operations, faults, seed, minutes, only = /^/ }: RunOptions,
  struck: StrikeResult[],
  { signal, tell }: RunSurroundings,
): Promise<void> {
  const endMs = Date.now() + minutes * 60_000;
  const isOver = () => signal.aborted || Date.now() > endMs;
  const untilCalls = async (count: number) => {
    while (!isOver() && history.calls.length < count) await pause(50);
  };
  const kinds = kindsIn(world).filter((kind) => only.test(kind));
  for (const strike of planStrikes({ seed, operations, faults, kinds, pairable: PAIRABLE })) {
    await untilCalls(strike.atOperation);
    if (isOver()) break;
    const ended = await runStrike(world, strike, signal);
    struck.push(ended);
    tell(`fault ${describeStrike(ended)}`);
    if (ended.recoveredMs === undefined) return await workload.stop();
  }
  await untilCalls(operations);
  await workload.stop();
}
