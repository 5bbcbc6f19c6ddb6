/**
 * Compares two byte strings in a time that depends on their lengths alone.
 * The lengths of what is compared here (hashes) are no secret.
 */
export function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  let difference = 0;
  for (let i = 0; i < a.length; i++) difference |= a[i]! ^ b[i]!;
  return difference === 0;
}
