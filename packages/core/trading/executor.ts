import { clearTimeout, setImmediate, setTimeout } from "node:timers";
import { type Refusal, refuse } from "@sabika/protocol";
import { classifyFailure } from "../store/failure.ts";
import { takeBatch, type Waiting } from "./take_batch.ts";

/** How the items of one kind are carried out. */
export interface BatchWork<Item, Result> {
  /**
   * Carries out all items in one transaction and gives their results in their order. Carrying out
   * the same item again must give the same result (its ids are its own).
   *
   * @param afterLoss whether an earlier attempt at these items may have been carried out, its
   * answer lost; so a nonce that is spent now may have been spent by the item itself
   */
  run(items: readonly Item[], afterLoss: boolean): Promise<Result[]>;
  /** Items that share a tag never go in one batch: the later one waits and sees what came of it. */
  tags(item: Item): readonly string[];
  /** Only items of one group go together (architecture.md, "One database door"). */
  group(item: Item): string;
  /** Whose item it is: batches take from everybody in turn. */
  lane(item: Item): number;
}

export interface ExecutorOptions {
  /** Items in one batch at most. */
  maxBatch?: number;
  /** Items that wait at most; further ones are refused. */
  maxWaiting?: number | undefined;
  /** The same for one lane, so that a flood fills only its own. */
  maxWaitingInLane?: number | undefined;
  /** Batches of one group that are away at once. */
  maxInFlight?: number;
  /** Attempts at a batch before it is given up. */
  maxAttempts?: number;
  /** An item without an answer for so long gets a refusal; what is away is then left to itself. */
  timeoutMs?: number;
  /** Lets time pass between two attempts. */
  pause?: (ms: number) => Promise<void>;
  /** Told of each batch: how many items, how many seconds. */
  observe?: (size: number, seconds: number) => void;
  now: () => number;
}

/** Collects and carries out items (performance.md rules 3 to 6). */
export interface Executor<Item, Result> {
  /** Resolves after the commit. A refusal when the database cannot be reached or too many wait. */
  execute(item: Item): Promise<Result | Refusal>;
  waiting(): number;
}

/** A batch that was not carried out because of a lock that somebody holds. */
interface Held {
  /** Whether an earlier attempt may have been carried out all the same. */
  lost: boolean;
}

/** Gives a waiting item its answer. */
type Settle<Item, Result> = (entry: Waiting<Item, Result>) => void;

/** 1.6 s in all over seven attempts: as long as PostgreSQL needs to come back from a crash. */
const FIRST_PAUSE_MS = 25;

const wait = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

interface Group<Item, Result> {
  /** In the order in which they are served next. */
  lanes: Map<number, Waiting<Item, Result>[]>;
  inFlight: number;
  /** Lanes whose items are tried apart from the others, because somebody holds what they need. */
  aside: Set<number>;
  /** Whether a look at the lanes is due in this turn of the event loop. */
  scheduled: boolean;
}

function newGroup<Item, Result>(): Group<Item, Result> {
  return { lanes: new Map(), inFlight: 0, aside: new Set(), scheduled: false };
}

/**
 * Makes an executor. Items that arrive while a batch is away go together in the next one, at once
 * when none is away: there is no timer. Lanes are served in turn, one item each, so that one
 * partner's flood does not hold up the others. A batch that fails as a whole is tried again item by
 * item.
 */
export function createExecutor<Item, Result>(
  work: BatchWork<Item, Result>,
  options: ExecutorOptions,
): Executor<Item, Result> {
  const { maxBatch = 64, maxInFlight = 1, maxAttempts = 7, pause = wait } = options;
  const { timeoutMs = 10_000, now } = options;
  const { maxWaiting = 4_000, maxWaitingInLane = 1_000 } = options;
  const groups = new Map<string, Group<Item, Result>>();
  let waiting = 0;

  function execute(item: Item): Promise<Result | Refusal> {
    const name = work.group(item);
    let group = groups.get(name);
    if (!group) groups.set(name, group = newGroup());
    const number = work.lane(item);
    let lane = group.lanes.get(number);
    if (!lane) group.lanes.set(number, lane = []);
    if (waiting >= maxWaiting || lane.length >= maxWaitingInLane) {
      if (lane.length === 0) group.lanes.delete(number);
      return Promise.resolve(refuse("service_unavailable", { retryAfterSeconds: 1 }));
    }
    waiting += 1;
    const due = group;
    const queue = lane;
    return new Promise((resolve, reject) => {
      queue.push({ item, tags: work.tags(item), sinceMs: now(), resolve, reject });
      if (due.inFlight >= maxInFlight || due.scheduled) return;
      due.scheduled = true;
      // All that this turn of the event loop still brings goes along.
      setImmediate(() => {
        due.scheduled = false;
        pump(name, due);
      });
    });
  }

  function pump(name: string, group: Group<Item, Result>): void {
    while (group.inFlight < maxInFlight && group.lanes.size > 0) {
      const batch = takeBatch(group.lanes, group.aside, maxBatch);
      if (batch.length === 0) break;
      waiting -= batch.length;
      group.inFlight += 1;
      const unguard = guard(group, batch);
      void runBatch(batch, (held) => {
        unguard();
        group.inFlight -= 1;
        if (held !== undefined) setAside(name, group, batch, held.lost);
        pump(name, group);
      });
    }
    const isIdle = group.inFlight === 0 && group.lanes.size === 0 && group.aside.size === 0;
    if (isIdle) groups.delete(name);
  }

  /**
   * Somebody holds the accounts of one of these lanes. Each is tried by itself, and takes part in
   * no batch meanwhile, so that the others go on.
   */
  function setAside(
    name: string,
    group: Group<Item, Result>,
    batch: Waiting<Item, Result>[],
    lost: boolean,
  ): void {
    const lanes = new Map<number, Waiting<Item, Result>[]>();
    for (const entry of batch) {
      const lane = work.lane(entry.item);
      const entries = lanes.get(lane);
      if (entries === undefined) lanes.set(lane, [entry]);
      else entries.push(entry);
    }
    for (const [lane, entries] of lanes) {
      group.aside.add(lane);
      const unguard = guard(group, entries);
      void carryOut(entries, lost).then((outcomes) => {
        unguard();
        group.aside.delete(lane);
        outcomes.forEach((outcome, index) => outcome(entries[index]!));
        pump(name, group);
      });
    }
  }

  /** While a batch hangs (fault F08), nobody waits longer than the time-out. */
  function guard(group: Group<Item, Result>, batch: Waiting<Item, Result>[]): () => void {
    let timer = setTimeout(expire, timeoutMs);
    function expire(): void {
      const unknown = refuse("outcome_unknown", { retryAfterSeconds: 1 });
      for (const entry of batch) entry.resolve(unknown);
      const latestMs = now() - timeoutMs;
      for (const [number, queue] of group.lanes) {
        const left = queue.filter((entry) => entry.sinceMs > latestMs);
        for (const entry of queue.slice(0, queue.length - left.length)) {
          waiting -= 1;
          entry.resolve(refuse("service_unavailable", { retryAfterSeconds: 1 }));
        }
        if (left.length === 0) group.lanes.delete(number);
        else group.lanes.set(number, left);
      }
      timer = setTimeout(expire, Math.min(timeoutMs, 1_000));
    }
    return () => clearTimeout(timer);
  }

  /** `done` is called before the answers are given out, so that the next batch leaves first. */
  async function runBatch(
    batch: Waiting<Item, Result>[],
    done: (held?: Held) => void,
  ): Promise<void> {
    const startedMs = now();
    const outcomes = await carryOut(batch, false, true);
    options.observe?.(batch.length, (now() - startedMs) / 1_000);
    if ("lost" in outcomes) return done(outcomes);
    done();
    outcomes.forEach((outcome, index) => outcome(batch[index]!));
  }

  /**
   * Tries a batch until it is done or no further try can help. While the database is away, or a
   * connection broke, the same items are tried again as they are: their ids make it safe.
   */
  async function carryOut(
    batch: Waiting<Item, Result>[],
    lost: boolean,
  ): Promise<Settle<Item, Result>[]>;
  async function carryOut(
    batch: Waiting<Item, Result>[],
    lost: boolean,
    stopWhenHeld: true,
  ): Promise<Settle<Item, Result>[] | Held>;
  async function carryOut(
    batch: Waiting<Item, Result>[],
    lost: boolean,
    stopWhenHeld = false,
  ): Promise<Settle<Item, Result>[] | Held> {
    const items = batch.map((entry) => entry.item);
    for (let attempt = 1; attempt <= maxAttempts; attempt++) {
      try {
        const results = await work.run(items, lost);
        return results.map((result) => (entry) => entry.resolve(result));
      } catch (error) {
        const failure = classifyFailure(error);
        if (failure === "fatal" && batch.length === 1) return [(entry) => entry.reject(error)];
        // What is thrown while the answer is read comes after the commit.
        if (failure === "fatal") return await carryOutEach(batch, true);
        if (failure === "held" && stopWhenHeld) return { lost };
        lost ||= failure === "lost";
        if (attempt < maxAttempts) await pause(FIRST_PAUSE_MS * 2 ** (attempt - 1));
      }
    }
    const refusal = refuse(lost ? "outcome_unknown" : "service_unavailable", {
      retryAfterSeconds: 1,
    });
    return batch.map(() => (entry) => entry.resolve(refusal));
  }

  async function carryOutEach(
    batch: Waiting<Item, Result>[],
    lost: boolean,
  ): Promise<Settle<Item, Result>[]> {
    const outcomes: Settle<Item, Result>[] = [];
    for (const entry of batch) outcomes.push(...await carryOut([entry], lost));
    return outcomes;
  }

  return { execute, waiting: () => waiting };
}
