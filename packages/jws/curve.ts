// The field and the constant b of P-256: y² = x³ − 3x + b (SP 800-186 §3.2.1.3).
const P = 0xffffffff00000001000000000000000000000000ffffffffffffffffffffffffn;
const B = 0x5ac635d8aa3a93e7b3ebbd55769886bc651d06b0cc53b0f63bce3c3e27d2604bn;

/**
 * Returns whether (x, y), each 32 bytes, is a point of P-256. Not every Web Crypto checks that
 * on import, and a foreign point can give a key that verifies what it should not.
 */
export function isOnCurve(x: Uint8Array, y: Uint8Array): boolean {
  const [a, b] = [toBigInt(x), toBigInt(y)];
  if (a >= P || b >= P) return false;
  return (b * b - (a * a * a - 3n * a + B)) % P === 0n;
}

function toBigInt(bytes: Uint8Array): bigint {
  let value = 0n;
  for (const byte of bytes) value = value << 8n | BigInt(byte);
  return value;
}
