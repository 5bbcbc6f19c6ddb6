import type { Server } from "node:http";
import type { Duplex } from "node:stream";

/**
 * The options of both ways of listening. The timeouts are longer than those of the sidecar, so that no
 * connection is closed here while the sidecar still uses it (F23).
 */
export const HTTP_SERVER_OPTIONS = {
  /** Envoy's idle timeout upstream is 60 s. */
  keepAliveTimeout: 75_000,
  headersTimeout: 20_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 2_000,
  maxHeaderSize: 16_384,
  noDelay: true,
  // A missing Host is refused by us, with a body.
  requireHostHeader: false,
} as const;

/** A listening server. `close` waits at most `patienceMs` for requests in flight. */
export interface Listener {
  /** The port; undefined on a Unix socket. */
  readonly port: number | undefined;
  close(patienceMs: number): Promise<void>;
}

/**
 * Tracks which connections have carried no request yet, for `closeServer`.
 *
 * @param event the server's event for a new connection: `secureConnection` where it terminates TLS
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

/** Stops accepting, lets requests in flight finish, and cuts off those that take too long. */
export function closeServer(server: Server, patienceMs: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => server.closeAllConnections(), patienceMs);
    server.close(() => {
      clearTimeout(timer);
      resolve();
    });
    server.closeIdleConnections();
    // To Node, a connection that has carried no request is not idle.
    for (const socket of unusedOf.get(server) ?? []) socket.destroy();
  });
}
