import { fork } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join, resolve } from "node:path";
import process from "node:process";
import { atEnd } from "../../../tools/programs/at_end.ts";
import type { FromSession, OrderWindow, ToSession } from "../cost_session.ts";
import type { Measure } from "../measure.ts";
import { nextMessage } from "../next_message.ts";
import { median, percentile, ratiosOf } from "../statistics.ts";
import { columns } from "../table.ts";
import { type CpuTimes, LOADER } from "../world/cpu_time.ts";

const PROGRAM = join("loadtest", "bench", "cost_session.ts");
/** Each window has as many orders, here and there, so that their batches are alike. */
const ORDERS_A_SECOND = 2_000;
/** Rounds that are not counted: programs are compiled, caches filled. */
const WARM_UPS = 2;
const ALL = "all of the service";

/** Processor time per order by process and thread, in windows by turns with another checkout. */
export const cost: Measure = {
  name: "cost",
  asks: "How much processor time does an order take, by process and thread, here and there?",
  onlyNamed: true,
  async run({ rounds, seconds, against, progress, note }) {
    const checkouts = [process.cwd(), ...against === undefined ? [] : [resolve(against)]];
    const orders = ORDERS_A_SECOND * seconds;
    const sessions: Session[] = [];
    const found: OrderWindow[][][] = checkouts.map(() => []);
    const floors: CpuTimes[] = [];
    try {
      for (const checkout of checkouts) sessions.push(await startSession(checkout));
      for (let round = -WARM_UPS; round < rounds; round++) {
        const windows: OrderWindow[][] = checkouts.map(() => []);
        // A B B A, then B A A B: both meet the same weather, and none always comes first.
        const turns = checkouts.map((_, index) => index);
        if (round % 2 !== 0) turns.reverse();
        for (const turn of [...turns, ...turns.toReversed()]) {
          windows[turn]!.push(await sessions[turn]!.measure(orders));
        }
        if (round < 0) continue;
        windows.forEach((ofRound, index) => found[index]!.push(ofRound));
        const ordersACommit = mean(windows[0]!, ({ answers, flushes }) => answers / flushes);
        floors.push(await sessions[0]!.measureFloor({ orders, ordersACommit }));
        const all = windows.map((ofRound) => mean(ofRound, timeOf(ALL)).toFixed(0));
        progress.say(`cost, round ${round + 1}: ${all.join(" and ")} µs an order`);
      }
    } finally {
      for (const session of sessions) await session.stop();
    }
    const [current, other] = found;
    note(other === undefined ? describe(current!) : compare(current!, other));
    note(overFloor(floors, found));
    note(`${rounds} rounds of two windows each, ${orders} orders a window`);
    return [];
  },
};

/** Formats the floor, and how many times as much the service takes here and there. */
function overFloor(floors: readonly CpuTimes[], found: readonly OrderWindow[][][]): string {
  const sum = (times: CpuTimes) => Object.values(times).reduce((all, time) => all + time, 0);
  const rows = Object.keys(floors[0]!).map((name): [string, number] => [
    name,
    median(floors.map((times) => times[name]!)),
  ]);
  const ratios = found.map((rounds) => {
    const all = rounds.map((windows) => mean(windows, timeOf(ALL)));
    return median(ratiosOf(all, floors.map(sum))).toFixed(2);
  });
  return columns([
    ["no order costs less than", "µs an order"],
    ...[...rows, ["together", median(floors.map(sum))] as const]
      .map(([name, time]) => [name, time.toFixed(1)]),
  ]) + `${ALL} ÷ that: ${ratios.join(" here, ")}${ratios.length > 1 ? " there" : ""}`;
}

type Figure = (window: OrderWindow) => number;

function timeOf(name: string): Figure {
  return ({ times }) =>
    name !== ALL ? times[name]! : Object.entries(times)
      .reduce((sum, [part, time]) => part === LOADER ? sum : sum + time, 0);
}

function mean(windows: readonly OrderWindow[], figure: Figure): number {
  return windows.reduce((sum, window) => sum + figure(window), 0) / windows.length;
}

function figuresOf({ times, bytes }: OrderWindow): [string, Figure][] {
  return [
    ...[...Object.keys(times), ALL].map((name): [string, Figure] => [name, timeOf(name)]),
    ...Object.keys(bytes).map((name): [string, Figure] => [
      `bytes of ${name}`,
      (window) => window.bytes[name]!,
    ]),
  ];
}

function compare(current: OrderWindow[][], other: OrderWindow[][]): string {
  const rows = figuresOf(current[0]![0]!).map(([name, figure]) => {
    const [here, there] = [current, other].map((rounds) =>
      rounds.map((windows) => mean(windows, figure))
    );
    const ratios = ratiosOf(here!, there!);
    return [
      name,
      median(here!).toFixed(1),
      median(there!).toFixed(1),
      ...[0.25, 0.75].map((share) => percentile(ratios, share).toFixed(3)).toSpliced(
        0,
        0,
        median(ratios).toFixed(3),
      ),
    ];
  });
  return columns([
    ["µs of processor an order", "here", "there", "here ÷ there", "quartile", "quartile"],
    ...rows,
  ]) + `here: ${ratesOf(current)}\nthere: ${ratesOf(other)}\n`;
}

function describe(rounds: OrderWindow[][]): string {
  const windows = rounds.flat();
  const of = (figure: Figure) => median(windows.map(figure));
  const cores = availableParallelism();
  const available = of(({ seconds, answers }) => cores * seconds * 1e6 / answers);
  const rows = figuresOf(windows[0]!).map(([name, figure]) => [
    name,
    of(figure).toFixed(1),
    name.startsWith("bytes") ? "" : `${(of(figure) / available * 100).toFixed(1)} %`,
  ]);
  return columns([
    [`of ${cores} cores`, "µs an order", "share"],
    ...rows,
    ["everything there is", available.toFixed(1), "100.0 %"],
  ]) + ratesOf(rounds);
}

/** Formats rates and times, with those of the disk, which they follow. */
function ratesOf(rounds: OrderWindow[][]): string {
  const of = (figure: Figure) => median(rounds.flat().map(figure));
  return [
    `${of(({ answers, seconds }) => answers / seconds).toFixed(0)} orders a second through Envoy`,
    `p50 ${of(({ p50Ms }) => p50Ms).toFixed(1)} ms`,
    `p99 ${of(({ p99Ms }) => p99Ms).toFixed(1)} ms`,
    `${of(({ answers, flushes }) => answers / flushes).toFixed(1)} orders a flush`,
    `${of(({ flushMs, flushes }) => flushMs / flushes).toFixed(2)} ms a flush`,
  ].join(", ");
}

/** A checkout's stack. */
interface Session {
  measure(orders: number): Promise<OrderWindow>;
  measureFloor(asked: Required<ToSession>): Promise<CpuTimes>;
  stop(): Promise<void>;
}

/** Starts a checkout's stack. */
async function startSession(checkout: string): Promise<Session> {
  if (!existsSync(join(checkout, PROGRAM))) {
    throw new Error(
      `${checkout} cannot be measured by turns: it has no ${PROGRAM}; copy loadtest/bench there`,
    );
  }
  const child = fork(join(checkout, PROGRAM), [], {
    cwd: checkout,
    execArgv: "Deno" in globalThis ? [] : ["--import", "tsx"],
  });
  child.once("exit", atEnd(() => child.kill("SIGTERM")));
  const next = async (kind: FromSession["kind"]) => {
    const message = await nextMessage(child)
      .catch(({ message }: Error) => ({ kind: "failed", message })) as FromSession;
    if (message.kind === kind) return message;
    throw new Error(`${checkout}: ${message.kind === "failed" ? message.message : message.kind}`);
  };
  const ask = <Kind extends FromSession["kind"]>(message: ToSession, kind: Kind) => {
    child.send(message);
    return next(kind) as Promise<FromSession & { kind: Kind }>;
  };
  await next("ready");
  return {
    measure: async (orders) => (await ask({ orders }, "window")).window,
    measureFloor: async (asked) => (await ask(asked, "floor")).times,
    async stop() {
      if (child.exitCode !== null) return;
      const ended = once(child, "exit");
      child.disconnect();
      await ended;
    },
  };
}
