/** Enough that a few slow cells do not hold up the others, and few enough to bound the connections. */
export const MAX_IN_PROGRESS = 32;

/**
 * Runs a function for each item, with at most {@linkcode MAX_IN_PROGRESS} in progress, and returns the results
 * in the order of the items. The failure of an item does not stop the others.
 *
 * @throws the failure that came first in time, after all items are done
 */
export async function mapConcurrently<T, U>(
  items: Iterable<T>,
  run: (item: T) => Promise<U>,
): Promise<U[]> {
  const results: U[] = [];
  const failures: unknown[] = [];
  const entries = Array.from(items).entries();
  const work = async () => {
    // The workers share the iterator, so each item is taken once.
    for (const [index, item] of entries) {
      try {
        results[index] = await run(item);
      } catch (error) {
        failures.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: MAX_IN_PROGRESS }, work));
  if (failures.length > 0) throw failures[0];
  return results;
}
