import type { IncomingMessage, ServerResponse } from "node:http";
import type { CertificateRecord, PartnerRecord } from "@sabika/core/partners";
import type { CheckedSignedHeaders, Refusal, VerifiedRequest } from "@sabika/protocol";
import type { RateState } from "./door/token_buckets.ts";
import type { Span } from "./watching/tracing.ts";

/** Who holds the other end of the connection; the same from either listener. */
export interface Peer {
  /** SHA-256 of the client's certificate (DER), lower-case hex. */
  readonly certificateHash: string;
  /** The caller's IP address, as text. */
  readonly address: string;
}

/**
 * One request on its way through the door. Each check reads what the ones before it found and
 * writes what it found itself; a route behind a check may rely on it (`CertifiedCall`, …).
 */
export class Call {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  readonly method: string;
  /** The request target exactly as it was received: path and query, never decoded. */
  readonly target: string;
  readonly path: string;
  /** What follows the `?`, or the empty string. */
  readonly query: string;
  /** When its headers were here. */
  readonly arrivedAtMs: number;
  /**
   * The moment of receipt that decides whether a quote is in time (Decision D12): when the request
   * was here whole, its body too. Else a caller could open an order inside of the 60 seconds and
   * watch the price before it sends the rest.
   */
  receivedAtMs: number;
  readonly requestId: string;
  /** The route's pattern, for logs and metrics; never the path itself. */
  readonly route: string;
  peer: Peer | undefined;
  partner: PartnerRecord | undefined;
  certificate: CertificateRecord | undefined;
  rate: RateState | undefined;
  idempotencyKey = "";
  /** X-Timestamp, X-Nonce and X-JWS-Signature, their forms checked. */
  signed: CheckedSignedHeaders | undefined;
  /** Set once the signature fits. */
  verified: VerifiedRequest | undefined;
  /** The body as received; every use of it starts from these bytes. */
  body: Uint8Array = NO_BYTES;
  span: Span | undefined;

  constructor(
    incoming: IncomingMessage,
    outgoing: ServerResponse,
    arrivedAtMs: number,
    requestId: string,
    route: string,
  ) {
    this.incoming = incoming;
    this.outgoing = outgoing;
    this.method = incoming.method ?? "";
    this.target = incoming.url ?? "";
    const mark = this.target.indexOf("?");
    this.path = mark < 0 ? this.target : this.target.slice(0, mark);
    this.query = mark < 0 ? "" : this.target.slice(mark + 1);
    this.arrivedAtMs = arrivedAtMs;
    this.receivedAtMs = arrivedAtMs;
    this.requestId = requestId;
    this.route = route;
  }

  /** The value of a header that the header check has seen to come at most once. */
  header(name: string): string | undefined {
    const value = this.incoming.headers[name];
    return typeof value === "string" ? value : undefined;
  }
}

const NO_BYTES = new Uint8Array(0);

/** A call whose certificate belongs to a partner of the register. */
export type CertifiedCall = Call & {
  readonly peer: Peer;
  readonly partner: PartnerRecord;
  readonly certificate: CertificateRecord;
};

/** A call whose signature has been verified. */
export type SignedCall = CertifiedCall & {
  readonly signed: CheckedSignedHeaders;
  readonly verified: VerifiedRequest;
};

/** One check of the door: nothing when the call passes, else why not. */
export type Check = (call: Call) => Refusal | undefined | Promise<Refusal | undefined>;
