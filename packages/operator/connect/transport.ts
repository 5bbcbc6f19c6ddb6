import { request as plainRequest } from "node:http";
import { request as tlsRequest } from "node:https";
import { rootCertificates } from "node:tls";
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

/** How long a connection may be silent. */
const PATIENCE_MS = 30_000;
/** The longest answer that is read. */
const MOST_BYTES = 256 * 1024 * 1024;

/**
 * Makes the function that sends a request over a new connection; it follows no redirects, and throws a
 * RefusedError with `office_unavailable` without a complete answer.
 *
 * @param authorityPem a certificate authority to trust besides the public ones
 */
export function createTransport(authorityPem: string | undefined): (sent: Sent) => Promise<Answer> {
  const ca = authorityPem === undefined ? {} : { ca: [...rootCertificates, authorityPem] };
  return ({ url, body, ...sent }) =>
    new Promise((resolve, reject) => {
      const { origin } = new URL(url);
      const failed = (error: { code?: string; message: string }) =>
        reject(
          new RefusedError(
            "office_unavailable",
            `the office at ${origin} does not answer (${error.code ?? error.message})`,
          ),
        );
      const options = { ...sent, agent: false as const, timeout: PATIENCE_MS };
      const request = url.startsWith("https:")
        ? tlsRequest(url, { ...options, ...ca })
        : plainRequest(url, options);
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
