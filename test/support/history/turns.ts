import { idOf, type Prepared } from "./caller.ts";
import { orderOf, type Worker } from "./worker.ts";

/** A call of a worker, or several related calls. */
export type Turn = (worker: Worker) => Promise<unknown>;

const trade: Turn = async (worker) => {
  const caller = worker.rich();
  const id = await worker.quote(caller);
  if (id === undefined) return;
  if (worker.chance.below(25) === 0) {
    worker.shared.kept.push({ caller, id, untilMs: Date.now() + 61_500 });
  } else await worker.write(caller, "order", orderOf(id));
};

/** Orders on a quote that has expired. */
const tradeLate: Turn = async (worker) => {
  const { kept } = worker.shared;
  const [oldest] = kept;
  if (oldest === undefined || oldest.untilMs > Date.now()) return await trade(worker);
  kept.shift();
  await worker.write(oldest.caller, "order", orderOf(oldest.id));
};

const fund: Turn = (worker) => worker.write(worker.rich(), "fund", worker.amount(5_000));

const withdraw: Turn = async (worker) => {
  const caller = worker.rich();
  const call = await worker.write(caller, "withdrawal", worker.amount(500));
  if (call.outcome === "ok") worker.shared.withdrawn.push({ caller, id: idOf(call) });
};

const cancelWithdrawal: Turn = async (worker) => {
  const withdrawal = worker.shared.withdrawn.shift();
  if (withdrawal === undefined) return await withdraw(worker);
  await worker.write(withdrawal.caller, "cancel", withdrawal.id);
};

/** Repeats a write under its key, signed anew. */
const repeat: Turn = async (worker) => {
  const { recent } = worker.shared;
  if (recent.length > 0) await worker.repeat(worker.chance.pick(recent));
};

/** Uses a key for another body or route. That is no attempt at the first write, so it is not kept. */
const conflict: Turn = async (worker) => {
  const { chance, shared } = worker;
  if (shared.recent.length === 0) return;
  const { caller, call: { key } } = chance.pick(shared.recent);
  const kind = chance.pick(["fund", "withdrawal"] as const);
  const prepared = await caller.prepare(kind, worker.amount(1_000), { key });
  await caller.send(prepared, worker.choices(caller));
};

/** Sends another partner's write under that partner's key. */
const foreignKey: Turn = async (worker) => {
  const { chance, shared, options } = worker;
  if (shared.recent.length === 0) return;
  const { caller, call } = chance.pick(shared.recent);
  const others = [...options.callers, ...options.poor === undefined ? [] : [options.poor]]
    .filter((other) => other !== caller);
  if (call.kind === "cancel" || others.length === 0) return;
  await worker.repeat({ caller: chance.pick(others), call });
};

/** Sends the same signed bytes of an order several times at once. */
const sameBytes: Turn = async (worker) => {
  const caller = worker.rich();
  const id = await worker.quote(caller);
  if (id === undefined) return;
  const prepared = await worker.prepareOrder(caller, id);
  await Promise.all([1, 2, 3].map(() => worker.send(caller, prepared)));
};

/** Sends several orders on one quote at once, each with its own key. */
const manyKeys: Turn = async (worker) => {
  const caller = worker.rich();
  const id = await worker.quote(caller);
  if (id === undefined) return;
  await Promise.all([1, 2, 3, 4].map(() => worker.write(caller, "order", orderOf(id))));
};

/** Sends several signed requests under one key at once. */
const sameKey: Turn = async (worker) => {
  const caller = worker.rich();
  const key = worker.key();
  const kind = worker.chance.pick(["fund", "withdrawal", "quote"] as const);
  const body = kind === "quote" ? worker.quoteBody() : worker.amount(50);
  await Promise.all([1, 2, 3].map(() => worker.write(caller, kind, body, key)));
};

/** Sends so many orders at once that they share large batches, some under the key or with the nonce of others. */
const crowd: Turn = async (worker) => {
  const { chance } = worker;
  const caller = worker.rich();
  const made = Array.from({ length: chance.pick([9, 17, 65]) }, () => worker.quote(caller));
  const sent: Prepared[] = [];
  for (const id of await Promise.all(made)) {
    if (id === undefined) continue;
    const prepared = await worker.prepareOrder(caller, id);
    sent.push(prepared);
    const { key, nonce, input } = prepared.invocation;
    if (chance.below(3) === 0) sent.push(await caller.prepare("order", input, { key }));
    // The nonce comes again under another time.
    const timestampSeconds = Math.floor(Date.now() / 1_000) - 1 - chance.below(200);
    const signing = { nonce, timestampSeconds };
    if (chance.below(3) === 0) sent.push(await caller.prepare("order", input, { signing }));
  }
  const choices = { instance: chance.below(caller.instances) };
  await Promise.all(sent.map((prepared) => worker.send(caller, prepared, choices)));
};

/** Sends an order that exceeds the balance, then its signed bytes again. */
const refusedAgain: Turn = async (worker) => {
  const caller = worker.rich();
  const id = await worker.quote(caller, '{"side":"sell","gold_grams":900}');
  if (id === undefined) return;
  const prepared = await worker.prepareOrder(caller, id);
  await worker.send(caller, prepared);
  await worker.send(caller, prepared);
};

/** Sends two writes through two instances at once, with money for only one of them. */
const balanceForOne: Turn = async (worker) => {
  const { poor } = worker.options;
  if (poor === undefined) return;
  if ((await worker.write(poor, "fund", '{"amount_sar":500}')).outcome !== "ok") return;
  const isTrade = worker.chance.below(2) === 0;
  const both: Prepared[] = [];
  for (const _ of [1, 2]) {
    if (isTrade) {
      const id = await worker.quote(poor, '{"side":"buy","amount_sar":490}');
      if (id !== undefined) both.push(await worker.prepareOrder(poor, id));
    } else {
      both.push(await poor.prepare("withdrawal", '{"amount_sar":500}', { key: worker.key() }));
    }
  }
  await Promise.all(
    both.map((prepared, n) => worker.send(poor, prepared, { instance: n % poor.instances })),
  );
};

const probe: Turn = async (worker) => {
  const caller = worker.rich();
  const prepared = await caller.prepare("probe", "{}");
  await worker.send(caller, prepared);
  if (worker.chance.below(3) === 0) await worker.send(caller, prepared);
};

const LISTS = ["/v1/balances", "/v1/prices", "/v1/orders?limit=5", "/v1/withdrawals?limit=5"];
const FOLDERS: Readonly<Record<string, string>> = {
  order: "orders",
  quote: "quotes",
  withdrawal: "withdrawals",
};

const readResources: Turn = async (worker) => {
  const { chance, shared } = worker;
  const writes = shared.recent.filter(({ call }) => call.outcome === "ok" && call.kind in FOLDERS);
  const isList = writes.length === 0 || chance.below(2) === 0;
  if (isList) {
    const caller = worker.rich();
    return await caller.get(chance.pick(LISTS), worker.choices(caller));
  }
  const { caller, call } = chance.pick(writes);
  const part = call.kind === "order" && chance.below(2) === 0 ? "/receipt" : "";
  await caller.get(`/v1/${FOLDERS[call.kind]}/${idOf(call)}${part}`, worker.choices(caller));
};

/** Repeats a write whose outcome is unknown. */
const findOut: Turn = async (worker) => {
  const unknown = worker.shared.unknown.shift();
  if (unknown === undefined) return await trade(worker);
  await worker.repeat(unknown);
};

/** All turns, each as often as its weight says. */
export const TURNS: readonly Turn[] = ([
  [trade, 30],
  [tradeLate, 3],
  [fund, 4],
  [withdraw, 4],
  [cancelWithdrawal, 2],
  [repeat, 7],
  [conflict, 3],
  [foreignKey, 2],
  [sameBytes, 2],
  [manyKeys, 2],
  [sameKey, 3],
  [crowd, 1],
  [refusedAgain, 2],
  [balanceForOne, 3],
  [probe, 2],
  [readResources, 9],
  [findOut, 6],
] as const).flatMap(([turn, times]) => Array.from({ length: times }, () => turn));
