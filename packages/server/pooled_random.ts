/**
 * Random bytes drawn a few kilobytes at a time: three ids an order are thirty bytes, and a call of
 * the system for each costs more than the rest of their making.
 *
 * @param fill fills an array with random bytes, such as `crypto.getRandomValues`
 */
export function pooledRandom(
  fill: (bytes: Uint8Array<ArrayBuffer>) => unknown,
): (length: number) => Uint8Array {
  const pool = new Uint8Array(POOL_BYTES);
  let used = POOL_BYTES;
  return (length) => {
    if (length > LARGE) {
      const own = new Uint8Array(length);
      fill(own);
      return own;
    }
    if (used + length > POOL_BYTES) {
      fill(pool);
      used = 0;
    }
    const bytes = pool.slice(used, used + length);
    // What was given out is nobody else's, not even in memory.
    pool.fill(0, used, used + length);
    used += length;
    return bytes;
  };
}

const POOL_BYTES = 4096;
const LARGE = 256;
