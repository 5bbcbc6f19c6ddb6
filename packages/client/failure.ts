import type { Call } from "./call.ts";
import { readConnectionError } from "./certificate_refusal.ts";
import { SabikaError } from "./sabika_error.ts";
import type { SenderParts } from "./sender_parts.ts";

/** The reason for ending an attempt when its time is up. */
export const TIMED_OUT = new Error("no answer in time");

/** The reason for ending an attempt before anything of it was sent. */
export const NOT_SENT = new Error("ended before it was sent");

/**
 * Makes the error for an attempt without an answer, from what `fetch` threw, {@link TIMED_OUT} or {@link NOT_SENT}.
 */
export async function readFailure(
  parts: SenderParts,
  call: Call<unknown>,
  cause: unknown,
): Promise<SabikaError> {
  const { identity } = parts;
  const { baseUrl, folder } = identity.kit;
  const kit = folder || "the kit";
  const { idempotencyKey } = call;
  if (parts.closing.closed) {
    const closed = clientClosed();
    const isOpen = idempotencyKey !== undefined && cause !== NOT_SENT;
    return isOpen ? outcomeUnknown(closed, idempotencyKey) : closed;
  }
  if (cause === TIMED_OUT) {
    const message = `no answer from ${baseUrl} within ${parts.timeoutMs} ms`;
    return new SabikaError({ code: "request_timed_out", message, retryable: true, idempotencyKey });
  }
  const trouble = readConnectionError(cause);
  if (trouble === "server_untrusted") {
    const message =
      `the certificate of ${baseUrl} does not lead to ca.crt of ${kit}; is it the right environment?`;
    return new SabikaError({ code: "server_certificate_untrusted", message, cause });
  }
  const isUnclear = trouble === "unclear" && !identity.certificateAccepted;
  if (trouble === "certificate_refused" || (isUnclear && await identity.isCertificateRefused())) {
    const message =
      `${baseUrl} refuses the client certificate; is client.crt of ${kit} of this environment, ` +
      "valid, and not revoked?";
    return new SabikaError({ code: "client_certificate_required", message, cause });
  }
  const message = `no connection to ${baseUrl}, or it broke before the answer`;
  return new SabikaError({
    code: "connection_failed",
    message,
    retryable: true,
    idempotencyKey,
    cause,
  });
}

/** Makes the error for an attempt that was not sent, because the kit's signer failed or did not end in time. */
export function signerFailed(parts: SenderParts, call: Call<unknown>, cause: unknown): SabikaError {
  if (parts.closing.closed) return clientClosed();
  const { idempotencyKey } = call;
  const message = "the signer of the kit gives no signature; nothing was sent";
  return new SabikaError({
    code: "signer_failed",
    message,
    retryable: true,
    idempotencyKey,
    cause,
  });
}

/**
 * Makes the error for a write that may have been executed, although its last attempt failed by this cause.
 *
 * @param idempotencyKey the write's; the cause may have none, such as that of a token's fetch
 */
export function outcomeUnknown(
  cause: SabikaError,
  idempotencyKey: string | undefined,
): SabikaError {
  const { status, requestId, retryAfterSeconds } = cause;
  return new SabikaError({
    code: "outcome_unknown",
    message: "an earlier attempt may have been carried out; repeat with the same Idempotency-Key",
    retryable: true,
    status,
    requestId,
    retryAfterSeconds,
    idempotencyKey,
    cause,
  });
}

function clientClosed(): SabikaError {
  return new SabikaError({ code: "client_closed", message: "the client is closed" });
}
