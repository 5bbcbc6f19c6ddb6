/** How many cells are asked at once (Decision D53): enough to wait little, few enough to connect to. */
export const CELLS_AT_ONCE = 32;

/**
 * What comes of each, in their order, with at most {@linkcode CELLS_AT_ONCE} under way at a time. One that
 * fails keeps no other from its turn.
 *
 * @throws the first failure, when all have ended
 */
export async function ofEach<T, U>(
  all: Iterable<T>,
  run: (item: T) => Promise<U>,
): Promise<U[]> {
  const results: U[] = [];
  const failures: unknown[] = [];
  const entries = Array.from(all).entries();
  const take = async () => {
    // They share the iterator, so each item is one's alone.
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
