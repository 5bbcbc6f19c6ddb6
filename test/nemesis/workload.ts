import { seeded } from "../support/seeded.ts";
import type { Bank, Prepared, SendChoices } from "./bank.ts";
import type { Call, History } from "./history.ts";
import { pause } from "../faults/waiting.ts";

/** Chance of one worker: the same seed gives the same draws. */
interface Chance {
  below(below: number): number;
  pick<T>(from: readonly T[]): T;
}

export interface WorkloadOptions {
  readonly history: History;
  /** Two or more; the last one has money for one thing at a time. */
  readonly banks: readonly Bank[];
  /** How many instances callers can choose from; 1 behind Envoy. */
  readonly instances: number;
  readonly seed: number;
  /** Calls that are away at once, about. */
  readonly workers: number;
  /** No call begins after so many. */
  readonly operations: number;
  readonly now: () => number;
}

/** Calls of all kinds that go on until there were enough, or they are stopped. */
export type Workload = ReturnType<typeof startWorkload>;

/** What a worker of the load has at hand. */
interface Worker {
  readonly options: WorkloadOptions;
  readonly shared: Shared;
  readonly chance: Chance;
  /** A key that no other call has. */
  key(): string;
}

interface Shared {
  /** Writes that may be repeated, the latest. */
  readonly recent: { bank: Bank; call: Call }[];
  /** Quotes that are kept until after their end. */
  readonly kept: { bank: Bank; id: string; untilMs: number }[];
  readonly withdrawn: { bank: Bank; id: string }[];
  /** Writes whose outcome nobody knows yet. */
  readonly unknown: { bank: Bank; call: Call }[];
}

const RECENT = 200;
const PATIENCE_MS = 15_000;

/** Begins a load: every worker draws from a seed of its own what it does next. */
export function startWorkload(options: WorkloadOptions) {
  const shared: Shared = { recent: [], kept: [], withdrawn: [], unknown: [] };
  let isOver = false;
  const { history, operations } = options;
  const working = Array.from({ length: options.workers }, async (_, number) => {
    const chance = chanceOf(options.seed * 1_009 + number);
    let keys = 0;
    const key = () => `${options.seed}-${number}-${++keys}`;
    const worker: Worker = { options, shared, chance, key };
    while (!isOver && history.calls.length < operations) {
      const before = history.calls.length;
      await TURNS[chance.below(TURNS.length)]!(worker);
      // Where nothing can be reached callers do not ask in a tight circle.
      const last = history.calls[history.calls.length - 1];
      const isAway = last !== undefined && (last.status === 503 || last.status === 0);
      if (isAway || history.calls.length === before) await pause(25);
    }
  });
  const done = Promise.all(working);
  return {
    /** Resolves when enough calls were made. */
    done,
    async stop() {
      isOver = true;
      await done;
    },
    /**
     * Repeats every write whose outcome is unknown under its key until it is known, for so long.
     *
     * @returns the keys of those that stay unknown
     */
    settle: (patienceMs: number) => settle(options, patienceMs),
  };
}

function chanceOf(seed: number): Chance {
  const fraction = seeded(seed);
  const below = (limit: number) => Math.floor(fraction() * limit);
  return { below, pick: (from) => from[below(from.length)]! };
}

/** Keeps a write in mind, to be repeated; and what is unknown, to be found out. */
async function sent(
  worker: Worker,
  bank: Bank,
  prepared: Prepared,
  chosen = choices(worker),
): Promise<Call> {
  const call = await bank.send(prepared, chosen);
  const { recent, unknown } = worker.shared;
  if (call.key !== "") {
    recent.push({ bank, call });
    if (recent.length > RECENT) recent.shift();
    if (call.outcome === "unknown") unknown.push({ bank, call });
  }
  return call;
}

/** Now and then a caller waits hardly at all, and never learns what came of it. */
function choices({ chance, options }: Worker): SendChoices {
  const isHasty = chance.below(40) === 0;
  const timeoutMs = isHasty ? 5 + chance.below(60) : PATIENCE_MS;
  return { instance: chance.below(options.instances), timeoutMs };
}

const rich = ({ options: { banks }, chance }: Worker): Bank => chance.pick(banks.slice(0, -1));
const uuidOf = ({ answer }: Call): string => JSON.parse(answer).id;
const wishOf = ({ kind, body, key }: Call) => ({ kind: kind as "order", body, key });

async function quote(worker: Worker, bank: Bank, body: string): Promise<string | undefined> {
  const prepared = await bank.prepare({ kind: "quote", key: worker.key(), body });
  const call = await sent(worker, bank, prepared);
  return call.outcome === "ok" ? uuidOf(call) : undefined;
}

function quoteBody({ chance }: Worker): string {
  const side = chance.below(5) > 1 ? "buy" : "sell";
  if (chance.below(4) === 0) return `{"side":"${side}","amount_sar":${10 + chance.below(900)}}`;
  return `{"side":"${side}","gold_grams":${(100 + chance.below(20_000)) / 10_000}}`;
}

const orderOf = (worker: Worker, bank: Bank, quoteId: string) =>
  bank.prepare({ kind: "order", key: worker.key(), body: `{"quote_id":"${quoteId}"}` });

type Turn = (worker: Worker) => Promise<unknown>;

async function trade(worker: Worker): Promise<void> {
  const bank = rich(worker);
  const id = await quote(worker, bank, quoteBody(worker));
  if (id === undefined) return;
  if (worker.chance.below(25) === 0) {
    worker.shared.kept.push({ bank, id, untilMs: worker.options.now() + 61_500 });
  } else await sent(worker, bank, await orderOf(worker, bank, id));
}

/** An order whose quote has ended. */
async function tradeLate(worker: Worker): Promise<void> {
  const { kept } = worker.shared;
  const [oldest] = kept;
  if (oldest === undefined || oldest.untilMs > worker.options.now()) return await trade(worker);
  kept.shift();
  await sent(worker, oldest.bank, await orderOf(worker, oldest.bank, oldest.id));
}

const fund: Turn = async (worker) => {
  const bank = rich(worker);
  const body = `{"amount_sar":${1 + worker.chance.below(500_000) / 100}}`;
  await sent(worker, bank, await bank.prepare({ kind: "fund", key: worker.key(), body }));
};

const withdraw: Turn = async (worker) => {
  const bank = rich(worker);
  const body = `{"amount_sar":${1 + worker.chance.below(50_000) / 100}}`;
  const wish = { kind: "withdrawal", key: worker.key(), body } as const;
  const call = await sent(worker, bank, await bank.prepare(wish));
  if (call.outcome === "ok") worker.shared.withdrawn.push({ bank, id: uuidOf(call) });
};

const takeBack: Turn = async (worker) => {
  const one = worker.shared.withdrawn.shift();
  if (one === undefined) return await withdraw(worker);
  const wish = { kind: "cancel", key: worker.key(), body: one.id } as const;
  await sent(worker, one.bank, await one.bank.prepare(wish));
};

/** The same key again, signed afresh. */
const repeat: Turn = async (worker) => {
  if (worker.shared.recent.length === 0) return;
  const { bank, call } = worker.chance.pick(worker.shared.recent);
  await sent(worker, bank, await bank.prepare(wishOf(call)));
};

/** A key with another body, or on another route. */
const conflict: Turn = async (worker) => {
  if (worker.shared.recent.length === 0) return;
  const { bank, call } = worker.chance.pick(worker.shared.recent);
  const kind = worker.chance.below(2) === 0 ? "fund" : "withdrawal";
  const body = `{"amount_sar":${1 + worker.chance.below(1_000)}}`;
  // What comes of it is no attempt at the first: it is another request under the same key.
  await bank.send(await bank.prepare({ kind, key: call.key, body }), choices(worker));
};

/** A key that another partner has used, with the same body. */
const foreignKey: Turn = async (worker) => {
  if (worker.shared.recent.length === 0) return;
  const { bank, call } = worker.chance.pick(worker.shared.recent);
  const other = worker.chance.pick(worker.options.banks.filter((one) => one !== bank));
  if (call.kind === "cancel") return;
  await sent(worker, other, await other.prepare(wishOf(call)));
};

/** The same signed bytes, several times at once. */
const sameBytes: Turn = async (worker) => {
  const bank = rich(worker);
  const id = await quote(worker, bank, quoteBody(worker));
  if (id === undefined) return;
  const prepared = await orderOf(worker, bank, id);
  await Promise.all([1, 2, 3].map(() => sent(worker, bank, prepared)));
};

/** One quote, several orders at once, a key each. */
const manyKeys: Turn = async (worker) => {
  const bank = rich(worker);
  const id = await quote(worker, bank, quoteBody(worker));
  if (id === undefined) return;
  const orders = await Promise.all([1, 2, 3, 4].map(() => orderOf(worker, bank, id)));
  await Promise.all(orders.map((prepared) => sent(worker, bank, prepared)));
};

/** One key, several times at once, signed apart. */
const twins: Turn = async (worker) => {
  const bank = rich(worker);
  const key = worker.key();
  const kind = worker.chance.pick(["fund", "withdrawal", "quote"] as const);
  const body = kind === "quote"
    ? quoteBody(worker)
    : `{"amount_sar":${2 + worker.chance.below(50)}}`;
  const all = await Promise.all([1, 2, 3].map(() => bank.prepare({ kind, key, body })));
  await Promise.all(all.map((prepared) => sent(worker, bank, prepared)));
};

/** An order that nobody can pay, and its signed bytes again. */
const refusedAgain: Turn = async (worker) => {
  const bank = worker.chance.pick(worker.options.banks);
  const id = await quote(worker, bank, `{"side":"sell","gold_grams":900}`);
  if (id === undefined) return;
  const prepared = await orderOf(worker, bank, id);
  await sent(worker, bank, prepared);
  await sent(worker, bank, prepared);
};

/** Money for one thing, and two that want it at once, each through another instance. */
const balanceForOne: Turn = async (worker) => {
  const { banks, instances } = worker.options;
  const bank = banks.at(-1)!;
  const fund = { kind: "fund", key: worker.key(), body: '{"amount_sar":500}' } as const;
  if ((await sent(worker, bank, await bank.prepare(fund))).outcome !== "ok") return;
  const all: Prepared[] = [];
  if (worker.chance.below(2) === 0) {
    for (const _ of [1, 2]) {
      const id = await quote(worker, bank, '{"side":"buy","amount_sar":490}');
      if (id !== undefined) all.push(await orderOf(worker, bank, id));
    }
  } else {
    const body = '{"amount_sar":500}';
    for (const _ of [1, 2]) {
      all.push(await bank.prepare({ kind: "withdrawal", key: worker.key(), body }));
    }
  }
  const chosen = (n: number) => ({ instance: n % instances, timeoutMs: PATIENCE_MS });
  await Promise.all(all.map((prepared, n) => sent(worker, bank, prepared, chosen(n))));
};

const probe: Turn = async (worker) => {
  const bank = rich(worker);
  const prepared = await bank.prepare({ kind: "probe", key: worker.key(), body: "{}" });
  await bank.send(prepared, choices(worker));
  if (worker.chance.below(3) === 0) await bank.send(prepared, choices(worker));
};

const LISTS = ["/v1/balances", "/v1/prices", "/v1/orders?limit=5", "/v1/withdrawals?limit=5"];
const RESOURCES = { order: "orders", quote: "quotes", withdrawal: "withdrawals" } as const;

const readSome: Turn = async (worker) => {
  const { chance, shared } = worker;
  const made = shared.recent.filter(({ call }) => call.outcome === "ok" && call.kind in RESOURCES);
  if (made.length === 0 || chance.below(2) === 0) {
    await rich(worker).read(chance.pick(LISTS), choices(worker));
    return;
  }
  const { bank, call } = chance.pick(made);
  const folder = RESOURCES[call.kind as keyof typeof RESOURCES];
  await bank.read(`/v1/${folder}/${uuidOf(call)}`, choices(worker));
};

/** Asks again what came of a write. */
const findOut: Turn = async (worker) => {
  const one = worker.shared.unknown.shift();
  if (one === undefined) return await trade(worker);
  await sent(worker, one.bank, await one.bank.prepare(wishOf(one.call)));
};

/** Each turn as often as it stands here. */
const TURNS: readonly Turn[] = ([
  [trade, 30],
  [tradeLate, 3],
  [fund, 4],
  [withdraw, 4],
  [takeBack, 2],
  [repeat, 7],
  [conflict, 3],
  [foreignKey, 2],
  [sameBytes, 2],
  [manyKeys, 2],
  [twins, 3],
  [refusedAgain, 2],
  [balanceForOne, 3],
  [probe, 2],
  [readSome, 9],
  [findOut, 6],
] as const).flatMap(([turn, times]) => Array.from({ length: times }, () => turn));

/** Who is answered so knows no more than before of what came of an earlier attempt. */
const NO_WORD = new Set(["service_unavailable", "price_unavailable", "rate_limited"]);

async function settle(options: WorkloadOptions, patienceMs: number): Promise<string[]> {
  const open = new Map<string, Call>();
  const banks = new Map(options.banks.map((bank) => [bank.caller.partnerId, bank]));
  const known = new Set<string>();
  for (const call of options.history.calls) {
    const name = `${call.partner} ${call.key}`;
    if (call.key === "") continue;
    if (call.outcome === "ok") known.add(name);
    if (call.outcome === "unknown") open.set(name, call);
  }
  for (const name of known) open.delete(name);
  const waiting = [...open.values()];
  const left: string[] = [];
  const endMs = options.now() + patienceMs;
  await Promise.all(Array.from({ length: options.workers }, async () => {
    for (let call = waiting.shift(); call !== undefined; call = waiting.shift()) {
      for (let isKnown = false; !isKnown; await pause(20)) {
        const again = await banks.get(call.partner)!.write(wishOf(call));
        isKnown = again.outcome !== "unknown" && !NO_WORD.has(again.code);
        if (isKnown || options.now() < endMs) continue;
        left.push(call.key);
        break;
      }
    }
  }));
  return left;
}
