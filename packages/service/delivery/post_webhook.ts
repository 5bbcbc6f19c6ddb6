import { Agent, request, type RequestOptions } from "node:https";
import type { LookupFunction, Socket } from "node:net";
import {
  type ConnectionOptions,
  createSecureContext,
  rootCertificates,
  type SecureContext,
} from "node:tls";
import type { ResolvedAddress } from "@sabika/network";

/** The result of one attempt. */
export type PostResult =
  & (
    | { kind: "answered"; status: number; retryAfter: string | undefined }
    /** No answer. `reason` is a short code; it contains nothing that was sent. */
    | { kind: "failed"; reason: string }
  )
  /** The address and port of the connection, if there was one. */
  & { address?: string | undefined };

/** A connection to one endpoint, at addresses that were checked. */
export interface EndpointConnection {
  /** Sends a POST; resolves whatever the endpoint does. */
  post(headers: Record<string, string>, body: Uint8Array): Promise<PostResult>;
  /** Closes the connection at once. */
  close(): void;
}

/** Where a delivery goes, and how long it may take. */
export interface EndpointOptions {
  url: URL;
  hostname: string;
  /** Checked already; no other address is ever connected to (Decision D36). */
  addresses: ResolvedAddress[];
  /** The trusted authorities, from `trustAuthorities`; shared, since creating it parses all certificates. */
  trust: SecureContext;
  timeoutMs: number;
  /** The most connections at once. */
  maxSockets: number;
}

/**
 * Creates the TLS context that all connections to endpoints share; TLS 1.2 or later.
 *
 * @param extraCaPem certificates that are trusted beside the runtime's: the sandbox's own CA
 */
export function trustAuthorities(extraCaPem: string | undefined): SecureContext {
  const ca = extraCaPem === undefined ? undefined : [...rootCertificates, extraCaPem];
  return createSecureContext({ ca, minVersion: "TLSv1.2" });
}

type Unaddressed<T> = T extends unknown ? Omit<T, "address"> : never;

function peerOf({ remoteAddress, remotePort }: Socket): string | undefined {
  if (remoteAddress === undefined) return undefined;
  return remoteAddress.includes(":")
    ? `[${remoteAddress}]:${remotePort}`
    : `${remoteAddress}:${remotePort}`;
}

/** How much of an answer's body is read and discarded so that the connection can be reused. */
const DRAIN_BYTES = 16_384;
const DRAIN_MS = 1_000;

/**
 * Connects to an endpoint. The name is not resolved again: connections go to the checked addresses,
 * and TLS is verified against the name. Redirects are not followed.
 */
export function connectEndpoint(options: EndpointOptions): EndpointConnection {
  const { url, hostname, addresses, trust, timeoutMs, maxSockets } = options;
  const pinned: LookupFunction = (_name, { all }, done) => {
    const [first] = addresses;
    if (all) done(null, addresses);
    else done(null, first!.address, first!.family);
  };
  const agent = new Agent({ keepAlive: true, maxSockets, maxCachedSessions: 1 });

  /** Whether a connection may have been used before, so that the endpoint may have closed it. */
  let answered = false;
  const postOnce = (headers: Record<string, string>, body: Uint8Array) =>
    new Promise<PostResult & { stale?: boolean }>((resolve) => {
      // Node passes all options on to `tls.connect`, though `RequestOptions` lacks some of them.
      const requestOptions: RequestOptions & ConnectionOptions = {
        agent,
        method: "POST",
        host: hostname,
        port: Number(url.port) || 443,
        path: url.pathname + url.search,
        lookup: pinned,
        // RFC 6066 §3: no address in the server name
        servername: options.addresses[0]?.address === hostname ? "" : hostname,
        secureContext: trust,
        rejectUnauthorized: true,
        headers: { ...headers, host: url.host, "content-length": String(body.length) },
      };
      const outgoing = request(requestOptions);
      let address: string | undefined;
      const settle = (result: Unaddressed<PostResult> & { stale?: boolean }) => {
        clearTimeout(timer);
        resolve({ ...result, address });
      };
      outgoing.on("socket", (socket) => {
        const note = () => address = peerOf(socket);
        if (socket.connecting) socket.once("connect", note);
        else note();
      });
      // One time limit for the whole attempt, from connecting to the status line.
      const timer = setTimeout(() => {
        settle({ kind: "failed", reason: "timed out" });
        outgoing.destroy();
      }, timeoutMs);
      outgoing.on("response", (answer) => {
        const retryAfter = answer.headers["retry-after"];
        answered = true;
        settle({ kind: "answered", status: answer.statusCode ?? 0, retryAfter });
        let left = DRAIN_BYTES;
        const enough = setTimeout(() => outgoing.destroy(), DRAIN_MS);
        answer.on("data", (chunk: Uint8Array) => {
          left -= chunk.length;
          if (left < 0) outgoing.destroy();
        });
        answer.on("error", () => {});
        answer.on("close", () => clearTimeout(enough));
      });
      outgoing.on("upgrade", (_answer, socket) => {
        settle({ kind: "failed", reason: "not an answer" });
        socket.destroy();
      });
      outgoing.on("error", (error: Error & { code?: string }) => {
        settle({ kind: "failed", reason: error.code ?? "broken", stale: answered });
      });
      outgoing.end(body);
    });

  return {
    async post(headers, body) {
      const result = await postOnce(headers, body);
      // A kept connection that the endpoint had just closed says nothing about the endpoint.
      if (!result.stale) return result;
      answered = false;
      return await postOnce(headers, body);
    },
    close: () => agent.destroy(),
  };
}
