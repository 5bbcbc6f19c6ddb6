/**
 * SHA-256 (FIPS 180-4) without a promise, for small inputs on a hot path.
 *
 * Web Crypto hashes in another thread: for the hundred bytes of an order the way there and back costs
 * ten times the hash, and on a busy machine far more. What is hashed here is no secret, so the time
 * taken may depend on it. For more than a few kilobytes use {@link sha256Hex}.
 *
 * @example encodeHex(sha256(body))
 */
export function sha256(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const length = bytes.length;
  state.set(INITIAL);
  let offset = 0;
  for (; offset + 64 <= length; offset += 64) compress(bytes, offset);

  // The rest, a bit 1, zeros, and the length in bits: one block or two.
  const rest = length - offset;
  tail.fill(0);
  tail.set(bytes.subarray(offset), 0);
  tail[rest] = 0x80;
  const blocks = rest < 56 ? 64 : 128;
  tailView.setUint32(blocks - 8, Math.floor(length / 0x20000000));
  tailView.setUint32(blocks - 4, length << 3);
  for (let at = 0; at < blocks; at += 64) compress(tail, at);

  const digest = new Uint8Array(32);
  for (let i = 0; i < 8; i++) {
    const word = state[i]!;
    digest[4 * i] = word >>> 24;
    digest[4 * i + 1] = word >>> 16;
    digest[4 * i + 2] = word >>> 8;
    digest[4 * i + 3] = word;
  }
  return digest;
}

// Nothing is awaited between their uses, so one of each is enough.
const state = new Int32Array(8);
const schedule = new Int32Array(64);
const tail = new Uint8Array(128);
const tailView = new DataView(tail.buffer);

/** One block of 64 bytes into the state (FIPS 180-4 §6.2.2). */
function compress(bytes: Uint8Array, offset: number): void {
  const w = schedule;
  for (let i = 0; i < 16; i++) {
    const at = offset + 4 * i;
    w[i] = (bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!;
  }
  for (let i = 16; i < 64; i++) {
    const x = w[i - 15]!;
    const y = w[i - 2]!;
    const s0 = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3);
    const s1 = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10);
    w[i] = w[i - 16]! + s0 + w[i - 7]! + s1;
  }
  let a = state[0]!;
  let b = state[1]!;
  let c = state[2]!;
  let d = state[3]!;
  let e = state[4]!;
  let f = state[5]!;
  let g = state[6]!;
  let h = state[7]!;
  for (let i = 0; i < 64; i++) {
    const s1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
    const t1 = (h + s1 + ((e & f) ^ (~e & g)) + ROUND[i]! + w[i]!) | 0;
    const s0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
    const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + t1) | 0;
    d = c;
    c = b;
    b = a;
    a = (t1 + t2) | 0;
  }
  state[0] = state[0]! + a;
  state[1] = state[1]! + b;
  state[2] = state[2]! + c;
  state[3] = state[3]! + d;
  state[4] = state[4]! + e;
  state[5] = state[5]! + f;
  state[6] = state[6]! + g;
  state[7] = state[7]! + h;
}

// The fractional parts of the square roots of the first 8 primes, and of the cube roots of the first
// 64 (FIPS 180-4 §5.3.3, §4.2.2): computed, so that no digit can be mistyped.
const PRIMES = firstPrimes(64);
const INITIAL = Int32Array.from(PRIMES.slice(0, 8), (prime) => fraction(prime, 2));
const ROUND = Int32Array.from(PRIMES, (prime) => fraction(prime, 3));

/** The first 32 bits behind the point of a prime's square or cube root, in whole numbers. */
function fraction(prime: number, root: 2 | 3): number {
  // The root of prime × 2^(32·root), rounded down, by halving the interval.
  const target = BigInt(prime) << BigInt(32 * root);
  let low = 0n;
  let high = 1n << 40n;
  while (high - low > 1n) {
    const middle = (low + high) / 2n;
    if (middle ** BigInt(root) <= target) low = middle;
    else high = middle;
  }
  return Number(BigInt.asIntN(32, low));
}

function firstPrimes(count: number): number[] {
  const primes: number[] = [];
  for (let n = 2; primes.length < count; n++) {
    if (primes.every((prime) => n % prime !== 0)) primes.push(n);
  }
  return primes;
}
