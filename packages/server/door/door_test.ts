import { test } from "node:test";
import { assertEquals } from "@std/assert";
import type { Register } from "@sabika/service/partners";
import { refuse } from "@sabika/protocol";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { ReadCall, SignedWriteCall } from "../call/findings.ts";
import { ReceivedCall } from "../call/received_call.ts";
import type { Route } from "../routes/route.ts";
import type { TokenIssuer } from "../tokens/issue_token.ts";
import { bearerTokenCheck } from "./bearer_token.ts";
import { bodyCheck } from "./body.ts";
import { certificateCheck } from "./certificate.ts";
import { type Door, OPEN_DOOR } from "./door.ts";
import { FailureBudget } from "./failure_budget.ts";
import {
  idempotencyKey,
  jsonContentType,
  noContentEncoding,
  singleHeaders,
} from "./header_syntax.ts";
import { rateCheck } from "./rate.ts";
import { signatureCheck, signedHeaders, timestampWindow } from "./signature.ts";
import { sourceAddress } from "./source_address.ts";
import { TokenBuckets } from "./token_buckets.ts";

const now = () => 0;

function callOf(): ReceivedCall {
  const incoming = { method: "GET", url: "/health", headers: {} } as IncomingMessage;
  return new ReceivedCall(incoming, {} as ServerResponse, 0, "req_1", "/health");
}

test("a door runs its checks in order, and none after the first refusal", async () => {
  const ran: string[] = [];
  const note = (name: string) => (call: ReceivedCall) => {
    ran.push(name);
    return call;
  };
  const later = (call: ReceivedCall) => Promise.resolve(note("later")(call));
  const call = callOf();
  assertEquals(await OPEN_DOOR.next(note("first")).next(later).next(note("last")).pass(call), call);
  assertEquals(ran, ["first", "later", "last"]);
  for (const refusing of [() => refuse("not_found"), async () => refuse("not_found")]) {
    const refused = await OPEN_DOOR.next(refusing).next(note("never")).pass(call);
    assertEquals(refused, refuse("not_found"));
  }
  assertEquals(ran.includes("never"), false);
});

// Never run: it is the type checker that refuses each of these lines.
export function wrongOrders(register: Register, issuer: TokenIssuer): void {
  const certificate = certificateCheck(register, now);
  const budget = new FailureBudget("token", now, () => {});
  const token = bearerTokenCheck(issuer, budget);
  const rate = rateCheck(new TokenBuckets(), "signed", now);
  const readBody = bodyCheck(now);
  const signature = signatureCheck("https://sabika.test", budget, now);
  const certified = OPEN_DOOR.next(certificate);
  const admitted = certified.next(sourceAddress);
  const counted = admitted.next(token).next(rate);
  const headers = counted.next(singleHeaders).next(noContentEncoding);
  const right = headers.next(jsonContentType).next(idempotencyKey).next(signedHeaders)
    .next(readBody).next(timestampWindow(() => 0)).next(signature);

  // @ts-expect-error the address is looked up in the partner that the certificate names
  OPEN_DOOR.next(sourceAddress);
  // @ts-expect-error a token is bound to a certificate
  OPEN_DOOR.next(token);
  // @ts-expect-error the address comes before the token
  certified.next(token);
  // @ts-expect-error a request without a valid token costs its partner nothing
  admitted.next(rate).next(token);
  // @ts-expect-error headers are checked after the rate
  admitted.next(token).next(singleHeaders);
  // @ts-expect-error a missing key is refused before the body is read
  headers.next(readBody).next(idempotencyKey);
  // @ts-expect-error the timestamp comes before the signature
  headers.next(signedHeaders).next(readBody).next(signature);
  // @ts-expect-error only a partner with a valid token signs
  admitted.next(rate).next(singleHeaders).next(signedHeaders);

  const behind = <C extends ReceivedCall>(door: Door<C>, route: Route<C>) => void [door, route];
  const read: Route<ReadCall> = () => refuse("not_found");
  const signedWrite: Route<SignedWriteCall> = () => refuse("not_found");
  behind(counted.next(singleHeaders), read);
  behind(right, signedWrite);
  // @ts-expect-error a read needs a token
  behind(admitted.next(rate).next(singleHeaders), read);
  // @ts-expect-error a signed write needs a verified signature
  behind(headers.next(readBody), signedWrite);
}
