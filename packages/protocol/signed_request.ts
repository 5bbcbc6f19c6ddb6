import { canonicalString, sha256Hex } from "../canonical/mod.ts";
import {
  type DetachedJws,
  parseDetached,
  signDetached,
  type SigningKey,
  verifyParsed,
} from "../jws/mod.ts";
import { HEADER } from "./headers.ts";
import { NONCE_MAX_LENGTH, NONCE_MIN_LENGTH, TIMESTAMP_WINDOW_SECONDS } from "./limits.ts";
import { type Refusal, refuse } from "./refusal.ts";
import type { UrlForm } from "./resources/probe.ts";
import { formatTime, parseUnixSeconds } from "./times.ts";

/** A request about to be signed. */
export interface RequestToSign {
  /** The HTTP method. */
  readonly method: string;
  /** The absolute URL, exactly as it will be sent (Decision D20). */
  readonly url: string;
  /** The bytes of the body. */
  readonly body: Uint8Array;
  /** Unix time in seconds. */
  readonly timestampSeconds: number;
  /** 16 to 128 visible ASCII characters, for one use. */
  readonly nonce: string;
  /** P-256, for signing. */
  readonly privateKey: SigningKey;
  /** RFC 7638 thumbprint of the key; spares the server from trying others. */
  readonly keyId?: string | undefined;
}

/** The three headers of a signed request, by their lower-case names. */
export interface SignedHeaders {
  /** Unix time in seconds. */
  readonly "x-timestamp": string;
  /** The nonce. */
  readonly "x-nonce": string;
  /** The detached JWS. */
  readonly "x-jws-signature": string;
}

/** The three headers of a signed request, in the right form. */
export interface CheckedSignedHeaders {
  /** The headers are well-formed. */
  readonly ok: true;
  /** X-Timestamp as received. */
  readonly timestamp: string;
  /** Unix time in seconds. */
  readonly timestampSeconds: number;
  /** 16 to 128 visible ASCII characters, for one use. */
  readonly nonce: string;
  /** X-JWS-Signature as received. */
  readonly signature: string;
  /** The parts of the signature. */
  readonly jws: DetachedJws;
}

/** An active signing key of a partner. */
export interface VerificationKey {
  /** RFC 7638 thumbprint of the key. */
  readonly keyId: string;
  /** P-256, for verifying. */
  readonly publicKey: CryptoKey;
}

/** A received request, its headers checked. */
export interface RequestToVerify {
  /** The HTTP method. */
  readonly method: string;
  /** From configuration, never from `Host`; without a slash at its end (Decision D20). */
  readonly baseUrl: string;
  /** Path and query as received, byte for byte. */
  readonly target: string;
  /** Lower-case hex SHA-256 of the raw body. */
  readonly bodySha256: string;
  /** By their lower-case names. */
  readonly headers: CheckedSignedHeaders;
  /** The partner's active keys. */
  readonly keys: readonly VerificationKey[];
}

/** A verified request: which key signed, and which form of the URL. */
export interface VerifiedRequest {
  /** The signature fits. */
  readonly ok: true;
  /** RFC 7638 thumbprint of the key. */
  readonly keyId: string;
  /** Which form of the URL was signed. */
  readonly urlForm: UrlForm;
  /** The URL as it was signed. */
  readonly url: string;
  /** The string that was signed. */
  readonly canonical: string;
}

const NONCE = new RegExp(`^[\\x21-\\x7e]{${NONCE_MIN_LENGTH},${NONCE_MAX_LENGTH}}$`);

/**
 * Signs a request (Spec §5 Signed requests).
 *
 * @throws {RangeError} when timestamp or nonce has a form that the service refuses
 * @throws {TypeError} when `keyId` is not a thumbprint, or a signer returns anything but 64 bytes
 *
 * @example
 * const headers = await signRequest({
 *   method: "POST",
 *   url: `${baseUrl}/v1/orders`,
 *   body,
 *   timestampSeconds: Math.floor(nowMs / 1000),
 *   nonce,
 *   privateKey,
 * });
 */
export async function signRequest(request: RequestToSign): Promise<SignedHeaders> {
  const { method, url, nonce, privateKey, keyId } = request;
  const timestamp = String(request.timestampSeconds);
  if (parseUnixSeconds(timestamp) === undefined) throw new RangeError("not a Unix time in seconds");
  if (!NONCE.test(nonce)) throw new RangeError("a nonce is 16 to 128 visible ASCII characters");
  const bodySha256 = await sha256Hex(request.body);
  const canonical = canonicalString({ method, url, bodySha256, timestamp, nonce });
  return {
    [HEADER.timestamp]: timestamp,
    [HEADER.nonce]: nonce,
    [HEADER.jwsSignature]: await signDetached(canonical, privateKey, { keyId }),
  };
}

/**
 * Checks the forms of the three headers, in the order timestamp, nonce, signature (Decisions D22,
 * D24, D25, D32). A missing header is undefined.
 */
export function checkSignedHeaders(headers: {
  readonly timestamp: string | undefined;
  readonly nonce: string | undefined;
  readonly signature: string | undefined;
}): CheckedSignedHeaders | Refusal {
  const { timestamp, nonce, signature } = headers;
  const timestampSeconds = timestamp === undefined ? undefined : parseUnixSeconds(timestamp);
  if (timestamp === undefined || timestampSeconds === undefined) {
    return refuse("timestamp_invalid", {
      detail: timestamp === undefined
        ? "X-Timestamp is missing."
        : "X-Timestamp must be the Unix time in seconds, digits alone.",
    });
  }
  if (nonce === undefined || !NONCE.test(nonce)) {
    return refuse("nonce_invalid", {
      detail: nonce === undefined
        ? "X-Nonce is missing."
        : `X-Nonce must be ${NONCE_MIN_LENGTH} to ${NONCE_MAX_LENGTH} visible ASCII characters.`,
    });
  }
  if (signature === undefined || signature === "") return refuse("signature_missing");
  const jws = parseDetached(signature);
  if (!jws.ok) return refuse("signature_malformed", { meta: { reason: jws.code } });
  return { ok: true, timestamp, timestampSeconds, nonce, signature, jws };
}

/** Returns X-Timestamp minus the service's time, in whole seconds (Decision D24). */
export function skewSeconds(timestampSeconds: number, nowMs: number): number {
  return timestampSeconds - Math.floor(nowMs / 1000);
}

/** Refuses a timestamp that is more than 300 s off the service's time; undefined if it is not. */
export function checkTimestampWindow(timestampSeconds: number, nowMs: number): Refusal | undefined {
  const skew = skewSeconds(timestampSeconds, nowMs);
  if (Math.abs(skew) <= TIMESTAMP_WINDOW_SECONDS) return undefined;
  return refuse("timestamp_out_of_window", {
    detail: `X-Timestamp may differ from the service's time by ${TIMESTAMP_WINDOW_SECONDS} s.`,
    meta: { server_time: formatTime(nowMs), skew_seconds: skew },
  });
}

/**
 * Verifies the signature over the absolute URL or only the path (Decision D20), under the key that
 * `kid` names or, without one, under each active key (Decision D23).
 */
export async function verifySignedRequest(
  request: RequestToVerify,
): Promise<VerifiedRequest | Refusal> {
  const { method, bodySha256, headers: { jws, timestamp, nonce } } = request;
  const keys = jws.keyId === undefined
    ? request.keys
    : request.keys.filter((key) => key.keyId === jws.keyId);
  const urls = { absolute: request.baseUrl + request.target, origin: request.target };
  for (const urlForm of ["absolute", "origin"] as const) {
    const url = urls[urlForm];
    const canonical = canonicalString({ method, url, bodySha256, timestamp, nonce });
    for (const { keyId, publicKey } of keys) {
      if (await verifyParsed(jws, canonical, publicKey)) {
        return { ok: true, keyId, urlForm, url, canonical };
      }
    }
  }
  return refuse("signature_invalid", {
    detail: keys.length === 0 && jws.keyId !== undefined
      ? "kid names no active key of this partner."
      : "POST /v1/signed-probe names the part of the signed string that differs.",
  });
}
