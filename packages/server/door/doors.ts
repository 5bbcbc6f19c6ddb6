import type { Register } from "@sabika/service/partners";
import { notCarriedOut, type Scope } from "@sabika/protocol";
import type { AdmittedCall, Counted } from "../call/findings.ts";
import type { ReceivedCall } from "../call/received_call.ts";
import type { TokenIssuer } from "../tokens/issue_token.ts";
import { bearerTokenCheck, sameTokenCheck } from "./bearer_token.ts";
import { bodyCheck } from "./body.ts";
import { certificateCheck } from "./certificate.ts";
import { type Door, OPEN_DOOR } from "./door.ts";
import { FailureBudget, type Verification } from "./failure_budget.ts";
import {
  idempotencyKey,
  jsonContentType,
  noContentEncoding,
  singleHeaders,
} from "./header_syntax.ts";
import { nonceVolume } from "./nonce_volume.ts";
import { rateCheck } from "./rate.ts";
import { scopeCheck } from "./scope.ts";
import { signatureCheck, signedHeaders, timestampWindow } from "./signature.ts";
import { sourceAddress } from "./source_address.ts";
import { TokenBuckets } from "./token_buckets.ts";

/** What the checks of the doors use, and where they report. */
export interface DoorParts {
  readonly issuer: Omit<TokenIssuer, "random">;
  readonly register: Pick<Register, "byCertificate" | "isFresh" | "refresh">;
  /** False while this instance's clock cannot be relied on. */
  readonly isServing: () => boolean;
  /** How far a sandbox's clock was set forward, in milliseconds; 0 if left out. */
  readonly aheadMs?: () => number;
  /** Called when a token or signature was verified and is wrong. */
  readonly onFailedVerification: (verification: Verification) => void;
}

/**
 * The doors that routes stand behind, each with its checks in the order of Decision D26:
 * certificate → source address → token, its binding and scope → rate → header syntax → timestamp →
 * signature → room for its nonce. The routes continue with nonce → idempotency → body → business.
 */
export function createDoors(parts: DoorParts) {
  const { issuer, register, isServing, aheadMs = () => 0, onFailedVerification } = parts;
  const { now } = issuer;
  const certificate = certificateCheck(register, now);
  const lastKnownCertificate = certificateCheck(register, now, { evenIfStale: true });
  const serving = (call: ReceivedCall) => isServing() ? call : notCarriedOut();
  const budgetOf = (verification: Verification) =>
    new FailureBudget(verification, now, onFailedVerification);
  const token = bearerTokenCheck(issuer, budgetOf("token"));
  const tokenIfSent = (call: Parameters<typeof token>[0]) =>
    call.incoming.headers.authorization === undefined ? call : token(call);
  const buckets = new TokenBuckets();
  const reads = rateCheck(buckets, "read", now);
  const writes = rateCheck(buckets, "write", now);
  const signedWrites = rateCheck(buckets, "signed", now);
  const tokenRequests = rateCheck(buckets, "token", now);
  const readBody = bodyCheck(now);
  const signature = signatureCheck(issuer.baseUrl, budgetOf("signature"), now);
  const timely = timestampWindow(aheadMs);
  const nonceRoom = nonceVolume(buckets, now);

  const known = OPEN_DOOR.next(serving).next(certificate).next(sourceAddress);
  const authenticated = known.next(token);
  const allowed = (scope: Scope) => authenticated.next(scopeCheck(scope));
  const bodyHeaders = <C extends AdmittedCall & Counted>(door: Door<C>) =>
    door.next(singleHeaders).next(noContentEncoding);
  const writeHeaders = <C extends AdmittedCall & Counted>(door: Door<C>) =>
    bodyHeaders(door).next(jsonContentType).next(idempotencyKey);
  const acts = allowed("read").next(writes);
  const signedWrite = (scope: Scope) =>
    writeHeaders(allowed(scope).next(signedWrites)).next(signedHeaders).next(readBody)
      .next(timely).next(signature).next(nonceRoom);
  return {
    /** Answers even while the database is away or this clock is off. */
    health: OPEN_DOOR.next(lastKnownCertificate).next(sourceAddress).next(reads)
      .next(singleHeaders),
    /** Documents for every partner, without a token. */
    documents: known.next(reads).next(singleHeaders),
    token: bodyHeaders(known.next(tokenRequests)).next(readBody),
    read: allowed("read").next(reads).next(singleHeaders),
    /** What a caller with a stream must pass again at every turn. */
    connected: known.next(sameTokenCheck(issuer)).next(scopeCheck("read")),
    /** An act on the resource in its path that changes no books; the body is ignored. */
    act: bodyHeaders(acts).next(idempotencyKey).next(readBody),
    actOnBody: writeHeaders(acts).next(readBody),
    fund: writeHeaders(known.next(tokenIfSent).next(scopeCheck("trade")).next(writes))
      .next(readBody),
    write: writeHeaders(allowed("trade").next(writes)).next(readBody),
    /** For any scope, since it moves nothing. The body is read first: it helps to explain a wrong header. */
    probe: bodyHeaders(authenticated.next(signedWrites)).next(readBody).next(signedHeaders)
      .next(timely).next(signature).next(nonceRoom),
    /** A signed act that needs no more than the scope to read. */
    signedAct: signedWrite("read"),
    signedTrade: signedWrite("trade"),
    signedWithdrawal: signedWrite("withdraw"),
    /** For unknown paths, so that strangers do not learn which routes exist. */
    unknown: OPEN_DOOR.next(certificate).next(sourceAddress),
  };
}
