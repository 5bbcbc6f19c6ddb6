import { clearTimeout, setImmediate, setTimeout } from "node:timers";
import { notCarriedOut, type Refusal, refuse } from "@sabika/protocol";
import { type Answer, carryOut, type Tries } from "./carry_out.ts";
import { type PartnerQueues, takeBatch, takeOverdue, type Waiting } from "./partner_queues.ts";

/** How the items of one kind are carried out. */
export interface BatchWork<Item, Result> {
  /**
   * Carries out all items in one transaction and returns their results in their order. Carrying out
   * an item again must give the same result.
   *
   * @param afterLoss whether an earlier attempt at these items may have been carried out although its
   * answer was lost; then the item itself may have spent its nonce
   */
  run(items: readonly Item[], afterLoss: boolean): Promise<Result[]>;
  /** Items of a partner that share a tag never go in one batch: the later one waits for the result of the earlier. */
  tags(item: Item): readonly string[];
  /** The partner of an item; batches take items from every partner in turn. */
  partnerId(item: Item): number;
}

/** How many batches may be in flight at once. */
const MAX_IN_FLIGHT = 1;

/** A batch of so many items has others right behind it. */
const CROWD = 4;

/** For how many turns of the event loop the batch after a crowd gathers items. More of them gather hardly more. */
const GATHERING_TURNS = 8;

/** How batches are put together. `now` is epoch milliseconds. */
export interface ExecutorOptions {
  /** For tests: the most items in one batch. */
  maxBatch?: number;
  /** For tests: the most items that may wait; further ones are refused. */
  maxWaiting?: number | undefined;
  /** For tests: the most items of one partner that may wait, so that a flood fills only its own queue. */
  maxWaitingPerPartner?: number | undefined;
  /** For tests: attempts at a batch before it is given up. */
  maxAttempts?: number;
  /** For tests: an item without an answer for this long is refused; its batch may still be carried out. */
  timeoutMs?: number;
  /** For tests: lets time pass between two attempts. */
  pause?: (ms: number) => Promise<void>;
  /** Called after each batch: how many items, how many seconds. */
  observe?: (size: number, seconds: number) => void;
  now: () => number;
}

/** Collects items and carries them out in batches (Decision D59). */
export interface Executor<Item, Result> {
  /** Resolves after the commit; refuses when the database is away, too many wait or time is up. */
  execute(item: Item): Promise<Result | Refusal>;
  waiting(): number;
}

/** What waits, what is in flight, and how items are carried out. */
interface State<Item, Result> extends Tries<Item, Result> {
  readonly maxBatch: number;
  readonly timeoutMs: number;
  readonly observe: (size: number, seconds: number) => void;
  readonly now: () => number;
  /** Items that wait. */
  waiting: number;
  readonly queues: PartnerQueues<Item, Result>;
  /** Partners whose items are tried separately, because another transaction holds their accounts. */
  readonly isolated: Set<number>;
  /** How many batches are in flight, or gather their items after a crowd. */
  inFlight: number;
  /** The items in flight, batch by batch. */
  readonly away: Set<readonly Waiting<Item, Result>[]>;
  /** The timer of the next check for items that wait too long; undefined when nothing waits. */
  nextLook: NodeJS.Timeout | undefined;
  /** Whether batches will be sent at the end of this turn of the event loop. */
  isScheduled: boolean;
}

/** How often items are checked for having waited too long. */
const LOOK_MS = 1_000;

/**
 * Creates an executor. Items that arrive while a batch is in flight go together in the next one; when none is
 * in flight they leave at once, and nothing ever waits on a timer. Partners are served in turn, one item each, so that a flood
 * from one partner does not hold up the others. A batch that fails as a whole is tried again item by item.
 */
export function createExecutor<Item, Result>(
  work: BatchWork<Item, Result>,
  options: ExecutorOptions,
): Executor<Item, Result> {
  const { maxWaiting = 4_000, maxWaitingPerPartner = 1_000 } = options;
  const state: State<Item, Result> = {
    run: (items, afterLoss) => work.run(items, afterLoss),
    maxAttempts: options.maxAttempts ?? 7,
    pause: options.pause ?? ((ms) => new Promise((resolve) => void setTimeout(resolve, ms))),
    maxBatch: options.maxBatch ?? 64,
    timeoutMs: options.timeoutMs ?? 10_000,
    observe: options.observe ?? (() => {}),
    now: options.now,
    waiting: 0,
    queues: new Map(),
    isolated: new Set(),
    inFlight: 0,
    away: new Set(),
    nextLook: undefined,
    isScheduled: false,
  };

  function execute(item: Item): Promise<Result | Refusal> {
    const partnerId = work.partnerId(item);
    const ahead = state.queues.get(partnerId)?.length ?? 0;
    if (state.waiting >= maxWaiting || ahead >= maxWaitingPerPartner) {
      return Promise.resolve(notCarriedOut());
    }
    return new Promise((resolve, reject) => {
      const tags = work.tags(item);
      enqueue(state, { item, partnerId, tags, sinceMs: state.now(), resolve, reject });
    });
  }

  return { execute, waiting: () => state.waiting };
}

function enqueue<Item, Result>(state: State<Item, Result>, entry: Waiting<Item, Result>): void {
  const queue = state.queues.get(entry.partnerId);
  if (queue) queue.push(entry);
  else state.queues.set(entry.partnerId, [entry]);
  state.waiting += 1;
  if (state.nextLook === undefined) look(state);
  if (state.inFlight >= MAX_IN_FLIGHT || state.isScheduled) return;
  state.isScheduled = true;
  // Items that arrive in this turn of the event loop go in the same batch.
  setImmediate(() => {
    state.isScheduled = false;
    sendBatches(state);
  });
}

/** Sends waiting items, as many batches as may be in flight at once. */
function sendBatches<Item, Result>(state: State<Item, Result>): void {
  const { queues, isolated } = state;
  while (state.inFlight < MAX_IN_FLIGHT && queues.size > 0) {
    const batch = takeBatch(queues, isolated, state.maxBatch);
    if (batch.length === 0) break;
    state.waiting -= batch.length;
    state.inFlight += 1;
    void send(state, batch);
  }
  if (state.inFlight === 0 && queues.size === 0 && isolated.size === 0) {
    clearTimeout(state.nextLook);
    state.nextLook = undefined;
  }
}

async function send<Item, Result>(
  state: State<Item, Result>,
  batch: Waiting<Item, Result>[],
): Promise<void> {
  state.away.add(batch);
  const startedMs = state.now();
  const items = batch.map((entry) => entry.item);
  const outcome = await carryOut(items, state, false, (heldAfterLoss) => ({ heldAfterLoss }));
  state.observe(batch.length, (state.now() - startedMs) / 1_000);
  state.away.delete(batch);
  if ("heldAfterLoss" in outcome) isolatePartners(state, batch, outcome.heldAfterLoss);
  // After a batch of a few, the next one is sent before the promises of this one resolve.
  if (batch.length < CROWD) sendNext(state);
  if (!("heldAfterLoss" in outcome)) giveAnswers(batch, outcome);
  if (batch.length >= CROWD) gather(state, GATHERING_TURNS);
}

/**
 * Sends the next batch some turns of the event loop later, which is at once when the loop has nothing else to do: each
 * batch has its own cost besides that of its items, and in a crowd more of them are about to arrive.
 */
function gather<Item, Result>(state: State<Item, Result>, turns: number): void {
  if (turns === 0 || state.waiting >= state.maxBatch) sendNext(state);
  else setImmediate(() => gather(state, turns - 1));
}

function sendNext<Item, Result>(state: State<Item, Result>): void {
  state.inFlight -= 1;
  sendBatches(state);
}

/**
 * Handles a batch for which another transaction holds the accounts of one partner: each partner's items
 * are tried separately, outside of batches, so that the other partners are not held up.
 */
function isolatePartners<Item, Result>(
  state: State<Item, Result>,
  batch: Waiting<Item, Result>[],
  afterLoss: boolean,
): void {
  for (const partnerId of new Set(batch.map((entry) => entry.partnerId))) {
    const entries = batch.filter((entry) => entry.partnerId === partnerId);
    state.isolated.add(partnerId);
    state.away.add(entries);
    void carryOut(entries.map((entry) => entry.item), state, afterLoss).then((answers) => {
      state.away.delete(entries);
      state.isolated.delete(partnerId);
      giveAnswers(entries, answers);
      sendBatches(state);
    });
  }
}

function giveAnswers<Item, Result>(
  entries: Waiting<Item, Result>[],
  answers: Answer<Result>[],
): void {
  answers.forEach((answer, index) => {
    if ("error" in answer) entries[index]!.reject(answer.error);
    else entries[index]!.resolve(answer.result);
  });
}

/**
 * Answers items that have waited for longer than the time limit (fault F08), counted from their
 * arrival: the outcome of those in flight is unknown, those still waiting are not carried out.
 */
function look<Item, Result>(state: State<Item, Result>): void {
  const { queues, away, timeoutMs } = state;
  state.nextLook = setTimeout(() => look(state), Math.min(timeoutMs, LOOK_MS));
  const overdueMs = state.now() - timeoutMs;
  const unknown = refuse("outcome_unknown", { retryAfterSeconds: 1 });
  for (const batch of away) {
    for (const { sinceMs, resolve } of batch) if (sinceMs <= overdueMs) resolve(unknown);
  }
  for (const entry of takeOverdue(queues, overdueMs)) {
    state.waiting -= 1;
    entry.resolve(notCarriedOut());
  }
}
