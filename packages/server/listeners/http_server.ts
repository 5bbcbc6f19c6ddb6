import { type Server, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { encodeUtf8, type ErrorCode, refuse } from "@sabika/protocol";
import { refused } from "../refused.ts";

/**
 * What is common to both ways of listening. The times are above those of the sidecar in front, so
 * that a connection is never closed here while the sidecar still believes in it (faults F23).
 */
export const HTTP_SERVER_OPTIONS = {
  /** Envoy's idle timeout upstream is 60 s. */
  keepAliveTimeout: 75_000,
  headersTimeout: 20_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 2_000,
  maxHeaderSize: 16_384,
  noDelay: true,
  // Refused by the door, with a body.
  requireHostHeader: false,
} as const;

/** What is needed to answer where there is no request yet. */
export interface Unreadable {
  readonly newRequestId: () => string;
  /** Told of each such answer, for log and metrics. */
  readonly onUnreadable: (status: number, code: ErrorCode, requestId: string) => void;
}

/**
 * Answers what the HTTP parser refuses, before there is a request, and every wish to leave HTTP/1.1
 * (`Upgrade`), in the form of all refusals. The connection ends, whatever follows on it (F63).
 */
export function answerParseErrors(
  server: Server,
  { newRequestId, onUnreadable }: Unreadable,
): void {
  server.on("clientError", (error: NodeJS.ErrnoException, socket: Duplex) => {
    if (!socket.writable || error.code === "ECONNRESET") {
      socket.destroy();
      return;
    }
    end(socket, CODE_OF[error.code ?? ""] ?? "malformed_request");
  });
  server.on("upgrade", (_request, socket: Duplex) => {
    // Nobody listens to it any more but us.
    socket.on("error", () => socket.destroy());
    end(socket, "malformed_request");
  });

  function end(socket: Duplex, code: ErrorCode): void {
    const requestId = newRequestId();
    const { status, headers, body } = refused(refuse(code), { requestId, path: "/" });
    onUnreadable(status, code, requestId);
    const lines = Object.entries({
      ...headers,
      "x-request-id": requestId,
      "cache-control": "no-store",
      "content-length": String(encodeUtf8(body).byteLength),
      connection: "close",
    }).map(([name, value]) => `${name}: ${value}\r\n`).join("");
    socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines}\r\n${body}`);
  }
}

const CODE_OF: Readonly<Record<string, ErrorCode>> = {
  HPE_HEADER_OVERFLOW: "headers_too_large",
  ERR_HTTP_REQUEST_TIMEOUT: "request_timeout",
};

/**
 * Notes which connections have carried no request yet, for `closeServer`.
 *
 * @param event by which the server tells of a connection: `secureConnection` where it ends TLS
 */
export function noteConnections(server: Server, event: "connection" | "secureConnection"): void {
  const unused = new Set<Duplex>();
  unusedOf.set(server, unused);
  server.on(event, (socket: Duplex) => {
    unused.add(socket);
    socket.once("close", () => unused.delete(socket));
  });
  server.on("request", (incoming) => unused.delete(incoming.socket));
}

const unusedOf = new WeakMap<Server, Set<Duplex>>();

/** Stops accepting, lets the requests in flight finish, and cuts off those that take too long. */
export function closeServer(server: Server, patienceMs: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => server.closeAllConnections(), patienceMs);
    server.close(() => {
      clearTimeout(timer);
      resolve();
    });
    server.closeIdleConnections();
    // Node does not count a connection as idle that has never carried a request.
    for (const socket of unusedOf.get(server) ?? []) socket.destroy();
  });
}
