import { type IncomingMessage, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import type { LookupFunction } from "node:net";
import { Readable } from "node:stream";
import { lookup as systemLookup } from "./lookup.ts";

/** The part of `fetch` that price feeds and key services need; the platform's `fetch` fits too. */
export type PlainFetch = (
  url: string,
  init: {
    method?: "POST";
    body?: string;
    headers: Record<string, string>;
    redirect: "error";
    signal: AbortSignal;
  },
) => Promise<Response>;

const WITHOUT_BODY = [204, 205, 304];

/**
 * Makes a `fetch` that keeps off the threads on which signatures are verified: it resolves names by
 * `lookup` and does not decompress, where the platform's `fetch` calls getaddrinfo and
 * decompresses. A connection serves one response, so none is ever stale. A redirect rejects.
 */
export function createPlainFetch(
  { lookup = systemLookup }: { lookup?: LookupFunction } = {},
): PlainFetch {
  return (url, { method, body, headers, signal }) =>
    new Promise<Response>((resolve, reject) => {
      signal.throwIfAborted();
      let incoming: IncomingMessage | undefined;
      const request = url.startsWith("https:") ? requestHttps : requestHttp;
      const outgoing = request(new URL(url), {
        method: method ?? "GET",
        agent: false,
        lookup,
        headers: { "user-agent": "sabika", ...headers, "accept-encoding": "identity" },
      });
      const abort = () => {
        reject(signal.reason);
        incoming?.destroy(signal.reason);
        outgoing.destroy();
      };
      signal.addEventListener("abort", abort);
      outgoing.on("error", reject);
      outgoing.on("close", () => {
        signal.removeEventListener("abort", abort);
        reject(new TypeError("the connection was closed"));
      });
      outgoing.on("response", (answer) => {
        incoming = answer;
        const status = answer.statusCode ?? 0;
        const isRedirect = status >= 300 && status < 400 && answer.headers.location !== undefined;
        if (isRedirect || status < 200 || status > 599) {
          outgoing.destroy();
          return reject(new TypeError(isRedirect ? "a redirect" : "not an answer"));
        }
        if (WITHOUT_BODY.includes(status)) {
          answer.resume();
          return resolve(new Response(null, { status }));
        }
        resolve(new Response(Readable.toWeb(answer) as ReadableStream<Uint8Array>, { status }));
      });
      outgoing.end(body);
    });
}

/** The `fetch` that resolves names by this machine's own settings. */
export const plainFetch: PlainFetch = createPlainFetch();
