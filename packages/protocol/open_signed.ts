import { importPublicJwk, parseCompact, thumbprint, verifyParsed } from "../jws/mod.ts";
import { decodeUtf8 } from "./bytes.ts";
import type { ReceiptKey } from "./resources/receipt_keys.ts";

/**
 * Opens a compact JWS that one of the operator's published keys has signed (Decision D103).
 *
 * @param typ the type that it must name
 * @returns the text of its payload, empty if that is not UTF-8, and the key; or what is wrong
 */
export async function openSigned(
  text: string,
  typ: string,
  keys: readonly ReceiptKey[],
): Promise<
  | { readonly payload: string; readonly key: ReceiptKey }
  | "malformed"
  | "wrong_algorithm"
  | "unknown_key"
  | "altered"
> {
  const jws = parseCompact(text, typ);
  if (!jws.ok) return jws.code === "alg_not_es256" ? "wrong_algorithm" : "malformed";
  const key = keys.find(({ keyId }) => keyId === jws.keyId);
  if (key === undefined) return "unknown_key";
  const jwk = { kty: "EC", crv: "P-256", x: key.x, y: key.y };
  const imported = await importPublicJwk(jwk);
  // A name that is not the key's own could be given to any key.
  if (!imported.ok || await thumbprint(jwk) !== key.keyId) return "unknown_key";
  if (!await verifyParsed(jws, jws.payloadSegment, imported.key)) return "altered";
  return { payload: decodeUtf8(jws.payload) ?? "", key };
}
