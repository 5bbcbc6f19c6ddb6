import type { Bank, Prepared } from "./bank.ts";
import { choices, isAway, PATIENCE_MS, rich, sent, uuidOf, wishOf, type Worker } from "./worker.ts";

/** What a worker does next: one call or some that belong together. */
export type Turn = (worker: Worker) => Promise<unknown>;

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
  worker.isAway = isAway(await bank.send(prepared, choices(worker)));
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
export const TURNS: readonly Turn[] = ([
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
