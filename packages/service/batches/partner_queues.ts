import type { Refusal } from "@sabika/protocol";

/** An item that waits for its batch. */
export interface Waiting<Item, Result> {
  readonly item: Item;
  readonly partnerId: number;
  /** Items of one partner that share a tag go in different batches. */
  readonly tags: readonly string[];
  readonly sinceMs: number;
  resolve(result: Result | Refusal): void;
  reject(error: unknown): void;
}

/** A queue for each partner with waiting items, in the order in which partners are served next. */
export type PartnerQueues<Item, Result> = Map<number, Waiting<Item, Result>[]>;

/** One partner's part in a batch that is being put together. */
interface Turn<Item, Result> {
  readonly partnerId: number;
  readonly queue: readonly Waiting<Item, Result>[];
  /** How many items of the queue were considered. */
  position: number;
  /** The tags of the items that were considered. */
  readonly tags: Set<string>;
  /** Items that were passed over because one before them has one of their tags. */
  readonly passedOver: Waiting<Item, Result>[];
}

/**
 * Takes one item from each partner in turn, until the batch is full. A partner's items in a batch share no tag; an
 * item that has to wait for the next batch also holds back later ones with its tags. Partners that
 * were served and have more items go to the end.
 *
 * @param isolated partners that are left out
 */
export function takeBatch<Item, Result>(
  queues: PartnerQueues<Item, Result>,
  isolated: ReadonlySet<number>,
  maxBatch: number,
): Waiting<Item, Result>[] {
  const batch: Waiting<Item, Result>[] = [];
  const candidates = isolated.size === 0
    ? [...queues]
    : [...queues].filter(([partnerId]) => !isolated.has(partnerId));
  const turns = candidates.slice(0, maxBatch).map(([partnerId, queue]): Turn<Item, Result> => ({
    partnerId,
    queue,
    position: 0,
    tags: new Set(),
    passedOver: [],
  }));
  for (let left = turns; batch.length < maxBatch && left.length > 0;) {
    left = left.filter((turn) => {
      const entry = batch.length < maxBatch ? takeNext(turn) : undefined;
      if (entry) batch.push(entry);
      return entry !== undefined;
    });
  }
  for (const { partnerId, queue, position, passedOver } of turns) {
    queues.delete(partnerId);
    const rest = passedOver.concat(queue.slice(position));
    if (rest.length > 0) queues.set(partnerId, rest);
  }
  return batch;
}

/** The partner's next item that shares no tag with those before it. */
function takeNext<Item, Result>(turn: Turn<Item, Result>): Waiting<Item, Result> | undefined {
  while (turn.position < turn.queue.length) {
    const entry = turn.queue[turn.position]!;
    turn.position += 1;
    const isFree = entry.tags.every((tag) => !turn.tags.has(tag));
    for (const tag of entry.tags) turn.tags.add(tag);
    if (isFree) return entry;
    turn.passedOver.push(entry);
  }
  return undefined;
}

/** Removes and returns all items that have waited since `sinceMs` or longer. */
export function takeOverdue<Item, Result>(
  queues: PartnerQueues<Item, Result>,
  sinceMs: number,
): Waiting<Item, Result>[] {
  const overdue: Waiting<Item, Result>[] = [];
  for (const [partnerId, queue] of queues) {
    // The clock may have been set back, so that times do not rise along the queue.
    const left = queue.filter((entry) => entry.sinceMs > sinceMs);
    overdue.push(...queue.filter((entry) => entry.sinceMs <= sinceMs));
    if (left.length === 0) queues.delete(partnerId);
    else queues.set(partnerId, left);
  }
  return overdue;
}
