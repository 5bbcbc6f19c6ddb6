import { request as plainRequest } from "node:http";
import { request as tlsRequest } from "node:https";
import { createSecureContext, rootCertificates, type SecureContext } from "node:tls";
import { RefusedError } from "../outcome.ts";

/** A request to send. */
interface Sent {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
}

/** The response: its status, and its body as text. */
export interface Answer {
  readonly status: number;
  readonly text: string;
}

/** The office gave no answer of its own, but may have got the request. */
export class LostAnswerError extends RefusedError {
  override name = "LostAnswerError";
}

/** How long a connection may be silent. */
const PATIENCE_MS = 30_000;
/** The longest answer that is read. */
const MOST_BYTES = 256 * 1024 * 1024;

/**
 * Makes the function that sends a request over a new connection; it follows no redirects, and throws a
 * RefusedError with `office_unavailable` without a complete answer: once connected, a LostAnswerError.
 *
 * @param authorityPem a certificate authority to trust besides the public ones
 */
export function createTransport(authorityPem: string | undefined): (sent: Sent) => Promise<Answer> {
  const trust = authorityPem === undefined ? {} : trusting(authorityPem);
  return ({ url, body, ...sent }) =>
    new Promise((resolve, reject) => {
      const { origin, protocol } = new URL(url);
      let Failure = RefusedError;
      const failed = (error: { code?: string; message: string }) =>
        reject(
          new Failure(
            "office_unavailable",
            `the office at ${origin} does not answer (${error.code ?? error.message})`,
          ),
        );
      const options = { ...sent, agent: false as const, timeout: PATIENCE_MS };
      const [request, connected] = protocol === "https:"
        ? [tlsRequest(url, { ...options, ...trust }), "secureConnect"]
        : [plainRequest(url, options), "connect"];
      request.on("socket", (socket) => socket.on(connected, () => Failure = LostAnswerError));
      request.on("timeout", () => request.destroy(new Error("no answer in time")));
      request.on("error", failed);
      request.on("response", (response) => {
        const pieces: Uint8Array[] = [];
        let bytes = 0;
        response.on("data", (piece: Uint8Array) => {
          pieces.push(piece);
          bytes += piece.length;
          if (bytes > MOST_BYTES) request.destroy(new Error("the answer is too long"));
        });
        response.on("error", failed);
        response.on("end", () =>
          resolve({ status: response.statusCode!, text: Buffer.concat(pieces).toString("utf8") }));
      });
      request.end(body);
    });
}

interface Trust {
  /** For Deno, which reads no context. */
  readonly ca: readonly string[];
  readonly secureContext: SecureContext;
}

/** The trust of each authority, because Node reads all public certificates for each context anew (20 ms). */
const trustOf = new Map<string, Trust>();

/** Returns the TLS options that trust this authority and the public ones. */
function trusting(authorityPem: string): Trust {
  let trust = trustOf.get(authorityPem);
  if (trust === undefined) {
    const ca = [...rootCertificates, authorityPem];
    trust = { ca, secureContext: createSecureContext({ ca }) };
    trustOf.set(authorityPem, trust);
  }
  return trust;
}
