import { setImmediate } from "node:timers";
import { type Refusal, refuse } from "@sabika/protocol";
import { classifyFailure } from "../store/failure.ts";

/** How the items of one kind are carried out. */
export interface BatchWork<Item, Result> {
  /**
   * Carries out all items in one transaction and gives their results in their order. Carrying out
   * the same item again must give the same result (its ids are its own).
   */
  run(items: readonly Item[]): Promise<Result[]>;
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
  /** Attempts at an item by itself before it is given up. */
  maxAttempts?: number;
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

interface Waiting<Item, Result> {
  item: Item;
  tags: readonly string[];
  resolve(result: Result | Refusal): void;
  reject(error: unknown): void;
}

interface Group<Item, Result> {
  /** In the order in which they are served next. */
  lanes: Map<number, Waiting<Item, Result>[]>;
  inFlight: number;
  /** Whether a look at the lanes is due in this turn of the event loop. */
  scheduled: boolean;
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
  const { maxBatch = 64, maxInFlight = 1, maxAttempts = 4 } = options;
  const { maxWaiting = 4_000, maxWaitingInLane = 1_000 } = options;
  const groups = new Map<string, Group<Item, Result>>();
  let waiting = 0;

  function execute(item: Item): Promise<Result | Refusal> {
    const name = work.group(item);
    let group = groups.get(name);
    if (!group) groups.set(name, group = { lanes: new Map(), inFlight: 0, scheduled: false });
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
      queue.push({ item, tags: work.tags(item), resolve, reject });
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
      const batch = takeBatch(group.lanes, maxBatch);
      waiting -= batch.length;
      group.inFlight += 1;
      void runBatch(batch, () => {
        group.inFlight -= 1;
        pump(name, group);
      });
    }
    if (group.inFlight === 0 && group.lanes.size === 0) groups.delete(name);
  }

  /** `done` is called before the answers are given out, so that the next batch leaves first. */
  async function runBatch(batch: Waiting<Item, Result>[], done: () => void): Promise<void> {
    const startedMs = options.now();
    const finish = () => {
      options.observe?.(batch.length, (options.now() - startedMs) / 1_000);
      done();
    };
    let results: Result[];
    try {
      results = await work.run(batch.map((entry) => entry.item));
    } catch (error) {
      if (batch.length === 1) await runAlone(batch[0]!, error);
      else for (const entry of batch) await runAlone(entry, undefined);
      return finish();
    }
    finish();
    batch.forEach((entry, index) => entry.resolve(results[index]!));
  }

  /** Tries one item until it is done, or no further try can help. */
  async function runAlone(entry: Waiting<Item, Result>, firstError: unknown): Promise<void> {
    let error = firstError;
    for (let attempt = firstError === undefined ? 0 : 1; attempt <= maxAttempts; attempt++) {
      if (error !== undefined && classifyFailure(error) === "fatal") return entry.reject(error);
      try {
        const [result] = await work.run([entry.item]);
        return entry.resolve(result!);
      } catch (next) {
        error = next;
      }
    }
    const failure = classifyFailure(error);
    if (failure === "fatal") return entry.reject(error);
    entry.resolve(
      refuse(failure === "lost" ? "outcome_unknown" : "service_unavailable", {
        retryAfterSeconds: 1,
      }),
    );
  }

  return { execute, waiting: () => waiting };
}

/**
 * Takes one item from each lane in turn. Items of a batch share no tag; one that has to wait for
 * the next batch keeps those behind it with the same tag waiting too. Lanes that were served and
 * have more go to the end.
 */
function takeBatch<Item, Result>(
  lanes: Map<number, Waiting<Item, Result>[]>,
  maxBatch: number,
): Waiting<Item, Result>[] {
  const batch: Waiting<Item, Result>[] = [];
  const taken = new Set<string>();
  let turns = [...lanes].slice(0, maxBatch).map(([number, queue]) => ({
    number,
    queue,
    at: 0,
    left: [] as Waiting<Item, Result>[],
  }));
  const served = turns;
  while (batch.length < maxBatch && turns.length > 0) {
    turns = turns.filter((turn) => {
      if (batch.length === maxBatch) return false;
      for (; turn.at < turn.queue.length; turn.at++) {
        const entry = turn.queue[turn.at]!;
        const free = entry.tags.every((tag) => !taken.has(tag));
        for (const tag of entry.tags) taken.add(tag);
        if (!free) {
          turn.left.push(entry);
          continue;
        }
        batch.push(entry);
        turn.at += 1;
        return true;
      }
      return false;
    });
  }
  for (const { number, queue, at, left } of served) {
    lanes.delete(number);
    const rest = left.concat(queue.slice(at));
    if (rest.length > 0) lanes.set(number, rest);
  }
  return batch;
}
