import type { Command, SignedCommand } from "@sabika/service/batches";
import type { KeyedCall, SignedWriteCall } from "../call/findings.ts";
import type { ReadRequest } from "./read_request.ts";

/** A write as the service takes it: who asks for what, by which key, received when. */
export function commandOf<T>(call: KeyedCall, read: ReadRequest<T>): Command<T> {
  return {
    partner: call.partner,
    idempotencyKey: call.idempotencyKey,
    parameters: read.parameters,
    receivedAtMs: call.receivedAtMs,
    request: read.request,
  };
}

/** A signed write as the service takes it, with its nonce, which is still to be spent. */
export function signedCommandOf<T>(call: SignedWriteCall, read: ReadRequest<T>): SignedCommand<T> {
  const { nonce, timestampSeconds } = call.signed;
  return { ...commandOf(call, read), nonce: { value: nonce, timestampSeconds } };
}
