import type { Refusal } from "@sabika/protocol";

/** An item that waits for its batch. */
export interface Waiting<Item, Result> {
  item: Item;
  /** Items of one batch have none in common. */
  tags: readonly string[];
  sinceMs: number;
  resolve(result: Result | Refusal): void;
  reject(error: unknown): void;
}

/**
 * Takes one item from each lane in turn, but for those that are set aside. Items of a batch share no tag; one that has to wait for
 * the next batch keeps those behind it with the same tag waiting too. Lanes that were served and
 * have more go to the end.
 */
export function takeBatch<Item, Result>(
  lanes: Map<number, Waiting<Item, Result>[]>,
  aside: ReadonlySet<number>,
  maxBatch: number,
): Waiting<Item, Result>[] {
  const batch: Waiting<Item, Result>[] = [];
  const taken = new Set<string>();
  const served = (aside.size === 0 ? [...lanes] : [...lanes].filter(([lane]) => !aside.has(lane)))
    .slice(0, maxBatch).map(([number, queue]) => ({
      number,
      queue,
      at: 0,
      left: [] as Waiting<Item, Result>[],
    }));
  let turns = served;
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
