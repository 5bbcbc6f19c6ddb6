import type { JwsErrorCode, JwsRefusal } from "./error_code.ts";
import { decodeProtectedHeader } from "./protected_header.ts";
import { decodeSignature } from "./signature_segment.ts";

/** A detached JWS that is well-formed; whether it fits a payload is still open. */
export interface DetachedJws {
  /** It has the right form. */
  readonly ok: true;
  /** The first segment as received, because the signature covers it. */
  readonly protectedSegment: string;
  /** RFC 7638 thumbprint of the key; undefined if the signer did not name it. */
  readonly keyId: string | undefined;
  /** r‖s, 64 bytes (RFC 7518 §3.4). */
  readonly signature: Uint8Array<ArrayBuffer>;
}

/**
 * Reads `<protected header>..<signature>` (RFC 7515 appendix F) without verifying it, so that a
 * server can choose the key by `keyId`.
 */
export function parseDetached(jws: string): DetachedJws | JwsRefusal {
  const first = jws.indexOf(".");
  const second = jws.indexOf(".", first + 1);
  if (first < 0 || second < 0 || jws.indexOf(".", second + 1) >= 0) {
    return refused("not_three_segments");
  }
  if (second !== first + 1) return refused("payload_not_empty");

  const protectedSegment = jws.slice(0, first);
  const header = decodeProtectedHeader(protectedSegment);
  if (typeof header === "string") return refused(header);

  const signature = decodeSignature(jws.slice(second + 1));
  if (typeof signature === "string") return refused(signature);
  return { ok: true, protectedSegment, keyId: header.keyId, signature };
}

function refused(code: JwsErrorCode): JwsRefusal {
  return { ok: false, code };
}
