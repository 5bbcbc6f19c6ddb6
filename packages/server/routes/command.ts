import type { Command, SignedCommand } from "@sabika/service/batches";
import type { KeyedCall, SignedWriteCall } from "../call/findings.ts";
import type { ReadRequest } from "./read_request.ts";

/** Makes the service's command of a write. */
export function commandOf<T>(
  call: KeyedCall,
  read: Pick<ReadRequest<T>, "request" | "parameters">,
): Command<T> {
  return {
    partner: call.partner,
    idempotencyKey: call.idempotencyKey,
    parameters: read.parameters,
    receivedAtMs: call.receivedAtMs,
    request: read.request,
  };
}

/** Makes the service's command of a signed write, whose nonce has yet to be spent. */
export function signedCommandOf<T>(call: SignedWriteCall, read: ReadRequest<T>): SignedCommand<T> {
  const { nonce, timestampSeconds, signature } = call.signed;
  const { keyId, url } = call.verified;
  // Written out, since an object that begins with a spread is slow to make.
  return {
    partner: call.partner,
    idempotencyKey: call.idempotencyKey,
    parameters: read.parameters,
    receivedAtMs: call.receivedAtMs,
    request: read.request,
    nonce: { value: nonce, timestampSeconds },
    evidence: { url, body: read.text, keyId, signature },
  };
}
