/**
 * What each check of the door finds out about a call. A check takes a call with the findings that
 * it builds on and returns it with its own added, so a door whose checks stand in the wrong order,
 * or a route behind a door that lacks one of them, does not compile.
 */
import type { CertificateRecord, PartnerRecord } from "@sabika/service/partners";
import type { CheckedSignedHeaders, JSON_MEDIA_TYPE, VerifiedRequest } from "@sabika/protocol";
import type { VerifiedToken } from "../tokens/verify_token.ts";
import type { Peer } from "./peer.ts";
import type { RateState } from "./rate_state.ts";
import type { ReceivedCall } from "./received_call.ts";

/** The client's certificate belongs to a partner of the register. */
export interface Certified {
  readonly peer: Peer;
  readonly partner: PartnerRecord;
  readonly certificate: CertificateRecord;
}

/** The partner may call from the caller's address. */
export interface Admitted {
  readonly sourceAddress: string;
}

/** The access token is valid and bound to this certificate. */
export interface Authenticated {
  readonly token: VerifiedToken;
}

/** The request has been counted against the partner's rate limit. */
export interface Counted {
  readonly rate: RateState;
}

/** No header came twice that may come only once. */
export interface SingleHeaders {
  readonly hasSingleHeaders: true;
}

/** The body is not compressed. */
export interface Uncompressed {
  readonly contentEncoding: "identity";
}

/** The body is declared to be JSON. */
export interface DeclaredJson {
  readonly mediaType: typeof JSON_MEDIA_TYPE;
}

/** The call has a well-formed Idempotency-Key. */
export interface Keyed {
  readonly idempotencyKey: string;
}

/** X-Timestamp, X-Nonce and X-JWS-Signature are there and well-formed. */
export interface Signed {
  readonly signed: CheckedSignedHeaders;
}

/** The whole request has been received. */
export interface Read {
  /** The body as received; every use of it starts from these bytes. */
  readonly body: Uint8Array;
  /**
   * The moment of receipt, epoch milliseconds, which decides whether a quote is in time
   * (Decision D12): when the last byte of the body arrived. Otherwise a caller could begin an order
   * within the 60 seconds and watch the price before it sends the rest.
   */
  readonly receivedAtMs: number;
}

/** X-Timestamp lies within the window around the moment of receipt. */
export interface Timely {
  /** The timestamp minus the moment of receipt. */
  readonly skewSeconds: number;
}

/** The signature is valid for this request. */
export interface Verified {
  readonly verified: VerifiedRequest;
}

/** A call before the checks that add these findings. */
export type Before<Findings> = { readonly [Name in keyof Findings]?: undefined };

/** A call with the findings so far. */
export type CallSoFar =
  & ReceivedCall
  & Partial<
    Certified & Admitted & Authenticated & Counted & SingleHeaders & Uncompressed & DeclaredJson
  >
  & Partial<Keyed & Signed & Read & Timely & Verified>;

/** A call whose certificate belongs to a partner. */
export type CertifiedCall = ReceivedCall & Certified;
/** A call from an address that the partner may use. */
export type AdmittedCall = CertifiedCall & Admitted;
/** A call with a valid access token. */
export type AuthenticatedCall = AdmittedCall & Authenticated;

/** A read with a token. */
export type ReadCall = AuthenticatedCall & Counted & SingleHeaders;
/** A write with an Idempotency-Key. */
export type KeyedCall = AdmittedCall & Counted & Keyed & Read;
/** A write with an Idempotency-Key and a JSON body. */
export type WriteCall = KeyedCall & DeclaredJson;
/** A write with an access token. */
export type AuthenticatedWriteCall = WriteCall & Authenticated;
/** A signed request. */
export type SignedCall = AuthenticatedCall & Counted & Signed & Read & Timely & Verified;
/** A signed write with an Idempotency-Key and a JSON body. */
export type SignedWriteCall = SignedCall & WriteCall;
