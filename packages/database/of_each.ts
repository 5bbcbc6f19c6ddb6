/** How many cells are asked at once (Decision D53), which bounds both the wait and the connections. */
export const CELLS_AT_ONCE = 32;

/**
 * Runs a function for each item, with at most {@linkcode CELLS_AT_ONCE} in progress, and returns the results
 * in the order of the items. A failure does not stop the others.
 *
 * @throws the first failure, after all have ended
 */
export async function ofEach<T, U>(
  all: Iterable<T>,
  run: (item: T) => Promise<U>,
): Promise<U[]> {
  const results: U[] = [];
  const failures: unknown[] = [];
  const entries = Array.from(all).entries();
  const take = async () => {
    // All share the iterator, so each item is taken once.
    for (const [index, item] of entries) {
      try {
        results[index] = await run(item);
      } catch (error) {
        failures.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: CELLS_AT_ONCE }, take));
  if (failures.length > 0) throw failures[0];
  return results;
}
