import {
  type CompactJws,
  importPublicJwk,
  parseCompact,
  type ReceiptKey,
  thumbprint,
  verifyParsed,
} from "@sabika/protocol";

/** What is wrong with a JWS that is kept. */
export type JwsFault = "malformed" | "unknown_key" | "differs" | "altered";

/** The public keys of a deployment's receipts, by id. */
export type ReceiptVerifiers = ReadonlyMap<string, CryptoKey>;

/** Imports published keys; one whose id is not its thumbprint is left out. */
export async function importReceiptKeys(keys: readonly ReceiptKey[]): Promise<ReceiptVerifiers> {
  const imported = new Map<string, CryptoKey>();
  for (const { keyId, x, y } of keys) {
    const jwk = { kty: "EC", crv: "P-256", x, y };
    const key = await importPublicJwk(jwk);
    if (key.ok && await thumbprint(jwk) === keyId) imported.set(keyId, key.key);
  }
  return imported;
}

/**
 * Judges a JWS that is kept: whether it says what it should, and the key that it names signed it.
 *
 * @param expected.payloads what it may say, as base64url; or how that is found out
 */
export async function judgeKeptJws(
  jws: string,
  expected: {
    readonly typ: string;
    readonly keys: ReceiptVerifiers;
    readonly payloads: readonly string[] | ((jws: CompactJws) => readonly string[]);
  },
): Promise<JwsFault | undefined> {
  const { typ, keys, payloads } = expected;
  const read = parseCompact(jws, typ);
  if (!read.ok) return "malformed";
  const key = keys.get(read.keyId);
  if (key === undefined) return "unknown_key";
  const allowed = typeof payloads === "function" ? payloads(read) : payloads;
  if (!allowed.includes(read.payloadSegment)) return "differs";
  return await verifyParsed(read, read.payloadSegment, key) ? undefined : "altered";
}
