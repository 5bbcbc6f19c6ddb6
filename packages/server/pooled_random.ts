/**
 * Makes a source of random bytes that draws 4 KiB at a time: the three ids of an order take thirty
 * bytes, and a system call for each costs more than the rest of making them.
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
      const fresh = new Uint8Array(length);
      fill(fresh);
      return fresh;
    }
    if (used + length > POOL_BYTES) {
      fill(pool);
      used = 0;
    }
    const bytes = pool.slice(used, used + length);
    // Bytes that were handed out do not stay in this pool.
    pool.fill(0, used, used + length);
    used += length;
    return bytes;
  };
}

const POOL_BYTES = 4096;
const LARGE = 256;
