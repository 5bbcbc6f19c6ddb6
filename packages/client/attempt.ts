import { encodeHex, HEADER, JSON_MEDIA_TYPE, signRequest } from "@sabika/protocol";
import type { Call } from "./call.ts";
import { NOT_SENT, readFailure, signerFailed, TIMED_OUT } from "./failure.ts";
import { readRefusal } from "./read_answer.ts";
import { SabikaError } from "./sabika_error.ts";
import type { SenderParts } from "./sender_parts.ts";
import type { FetchAnswer } from "./transport.ts";

/** The result of an attempt. */
export type Attempt<T> = { ok: true; value: T } | { ok: false; error: SabikaError };

/** Makes one attempt at a call; returns the answer's value or the error. Throws if `call.signal` aborts. */
export async function attemptOnce<T>(
  parts: SenderParts,
  call: Call<T>,
  token: string | undefined,
  attempt: number,
): Promise<Attempt<T>> {
  const { identity } = parts;
  const url = identity.kit.baseUrl + call.path;
  const body = call.body && new TextEncoder().encode(call.body.text);
  const make = () => makeHeaders(parts, call, url, body, token);
  const asksSigner = call.signed && "sign" in identity.kit.signingKey;
  let headers: Record<string, string>;
  try {
    headers = await (asksSigner ? withinTime(parts, call.signal, make) : make());
  } catch (cause) {
    if (!asksSigner) throw cause;
    call.signal?.throwIfAborted();
    return { ok: false, error: signerFailed(parts, call, cause) };
  }
  if (call.simulate !== undefined && attempt === 1) headers[HEADER.simulate] = call.simulate;
  const startedAt = parts.now();
  const seen = { attempt, method: call.method, url, headers: withoutToken(headers) };
  const report = (status: number, answer?: FetchAnswer, text?: string) =>
    parts.observe?.({
      ...seen,
      body: call.secretBody ? undefined : call.body?.text,
      status,
      answer: call.secretBody ? undefined : text,
      requestId: answer?.headers.get(HEADER.requestId) ?? undefined,
      replayed: answer?.headers.get(HEADER.idempotentReplayed) === "true",
      milliseconds: parts.now() - startedAt,
    });

  let answer: FetchAnswer;
  let text: string;
  try {
    [answer, text] = await withinTime(parts, call.signal, async (signal) => {
      const received = await identity.fetch(url, {
        method: call.method,
        headers,
        body,
        redirect: "manual",
        signal,
      });
      return [received, call.isStream && isGood(received) ? "" : await received.text()] as const;
    });
  } catch (error) {
    report(0);
    call.signal?.throwIfAborted();
    return { ok: false, error: await readFailure(parts, call, error) };
  }
  report(answer.status, answer, text);
  identity.certificateAccepted = true;
  if (isGood(answer) || answer.status === call.alsoStatus) {
    try {
      return { ok: true, value: call.read(text, answer) };
    } catch (cause) {
      if (isGood(answer)) return { ok: false, error: unreadable(call, answer, cause) };
    }
  }
  return { ok: false, error: readRefusal(answer, text, parts.now(), call.idempotencyKey) };
}

function isGood({ status }: FetchAnswer): boolean {
  return status >= 200 && status <= 299;
}

function unreadable(call: Call<unknown>, answer: FetchAnswer, cause: unknown): SabikaError {
  return new SabikaError({
    code: "unexpected_answer",
    message: `the answer to ${call.method} ${call.path} is not of the promised form`,
    status: answer.status,
    requestId: answer.headers.get(HEADER.requestId) ?? undefined,
    idempotencyKey: call.idempotencyKey,
    cause,
  });
}

async function makeHeaders(
  parts: SenderParts,
  call: Call<unknown>,
  url: string,
  body: Uint8Array | undefined,
  token: string | undefined,
): Promise<Record<string, string>> {
  const headers: Record<string, string> = {
    accept: call.accept ?? JSON_MEDIA_TYPE,
    "user-agent": parts.userAgent,
  };
  if (call.body) headers[HEADER.contentType] = call.body.mediaType;
  if (token !== undefined) headers[HEADER.authorization] = `Bearer ${token}`;
  if (call.idempotencyKey !== undefined) headers[HEADER.idempotencyKey] = call.idempotencyKey;
  if (call.signed) {
    const signed = await signRequest({
      method: call.method,
      url,
      body: body ?? new Uint8Array(),
      timestampSeconds: Math.floor((parts.now() + parts.clock.offsetMs) / 1000),
      nonce: encodeHex(parts.random(16)),
      privateKey: parts.identity.kit.signingKey,
      keyId: parts.identity.kit.signingKeyId,
    });
    Object.assign(headers, signed);
  }
  return headers;
}

/**
 * Ends an attempt when its time is up, the caller's signal aborts, or `close()` is called, even if `fetch`
 * ignores its signal.
 */
function withinTime<T>(
  parts: SenderParts,
  signal: AbortSignal | undefined,
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  // A controller per attempt, because AbortSignal.any leaks memory on Node 20 with a long-lived signal.
  const ending = new AbortController();
  const { closing, timeoutMs } = parts;
  return new Promise<T>((resolve, reject) => {
    const end = (reason: unknown) => {
      tidy();
      ending.abort(reason);
      reject(reason);
    };
    const stop = () => end(new Error("ended"));
    const tidy = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", stop);
      closing.ends.delete(stop);
    };
    const timer = setTimeout(() => end(TIMED_OUT), timeoutMs);
    signal?.addEventListener("abort", stop);
    closing.ends.add(stop);
    if (signal?.aborted || closing.closed) end(NOT_SENT);
    else run(ending.signal).then(resolve, reject).finally(tidy);
  });
}

function withoutToken(headers: Record<string, string>): Record<string, string> {
  return headers[HEADER.authorization] === undefined
    ? headers
    : { ...headers, [HEADER.authorization]: "Bearer …" };
}
