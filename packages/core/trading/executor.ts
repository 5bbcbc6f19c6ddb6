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
}

export interface ExecutorOptions {
  /** Items in one batch at most. */
  maxBatch?: number;
  /** Items that wait at most; further ones are refused. */
  maxWaiting?: number;
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
  queue: Waiting<Item, Result>[];
  inFlight: number;
}

/**
 * Makes an executor. Items that arrive while a batch is away go together in the next one, at once
 * when none is away: there is no timer. A batch that fails as a whole is tried again item by item.
 */
export function createExecutor<Item, Result>(
  work: BatchWork<Item, Result>,
  options: ExecutorOptions,
): Executor<Item, Result> {
  const { maxBatch = 64, maxWaiting = 4_000, maxInFlight = 1, maxAttempts = 4 } = options;
  const groups = new Map<string, Group<Item, Result>>();
  let waiting = 0;

  function execute(item: Item): Promise<Result | Refusal> {
    if (waiting >= maxWaiting) {
      return Promise.resolve(refuse("service_unavailable", { retryAfterSeconds: 1 }));
    }
    return new Promise((resolve, reject) => {
      const name = work.group(item);
      let group = groups.get(name);
      if (!group) groups.set(name, group = { queue: [], inFlight: 0 });
      group.queue.push({ item, tags: work.tags(item), resolve, reject });
      waiting += 1;
      if (group.inFlight < maxInFlight && group.queue.length === 1) {
        // All that this turn of the event loop still brings goes along.
        setImmediate(() => pump(name, group));
      }
    });
  }

  function pump(name: string, group: Group<Item, Result>): void {
    while (group.inFlight < maxInFlight && group.queue.length > 0) {
      const batch = takeBatch(group, maxBatch);
      waiting -= batch.length;
      group.inFlight += 1;
      void runBatch(batch, () => {
        group.inFlight -= 1;
        pump(name, group);
        if (group.inFlight === 0 && group.queue.length === 0) groups.delete(name);
      });
    }
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

/** The first items that share no tag with one another; the others keep their order. */
function takeBatch<Item, Result>(
  group: Group<Item, Result>,
  maxBatch: number,
): Waiting<Item, Result>[] {
  const batch: Waiting<Item, Result>[] = [];
  const left: Waiting<Item, Result>[] = [];
  const taken = new Set<string>();
  for (const entry of group.queue) {
    if (batch.length < maxBatch && entry.tags.every((tag) => !taken.has(tag))) {
      batch.push(entry);
    } else {
      left.push(entry);
    }
    for (const tag of entry.tags) taken.add(tag);
  }
  group.queue = left;
  return batch;
}
