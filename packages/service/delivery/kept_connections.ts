import type { EndpointConnection, EndpointOptions } from "./post_webhook.ts";

/** A connection that outlives a visit. */
export interface KeptConnection {
  readonly connection: EndpointConnection;
  /** How many answers came over it; limits how many events are sent over it at once. */
  answered: number;
}

/** Connections to endpoints that outlive a visit, one for each partner. */
export interface KeptConnections {
  /** The partner's kept connection if it leads to the same URL and addresses, otherwise a new one. */
  take(partnerId: number, options: EndpointOptions): KeptConnection;
  /** Returns the connection that `take` gave out, so that the next visit can reuse it. */
  give(partnerId: number): void;
  /** Closes connections unused for 10 s, and beyond 512 those unused for longest. */
  sweep(): void;
  /** Closes all connections. */
  close(): void;
}

interface Kept extends KeptConnection {
  readonly leadsTo: string;
  isTaken: boolean;
  usedMs: number;
}

/** Shorter than the 15 s after which many servers close idle connections. */
const KEEP_MS = 10_000;
const KEEP_MOST = 512;

/**
 * Creates the store. A TLS handshake costs both sides more than the rest of a delivery, so visits
 * share connections. The address is still checked at each visit (Decision D36), and a connection to
 * an address that the name no longer has is closed.
 *
 * @param now epoch milliseconds
 */
export function keepConnections(
  connect: (options: EndpointOptions) => EndpointConnection,
  now: () => number,
): KeptConnections {
  const all = new Map<number, Kept>();

  function drop(partnerId: number, kept: Kept): void {
    all.delete(partnerId);
    kept.connection.close();
  }

  return {
    take(partnerId, options) {
      // The DNS answers in another order each time.
      const addresses = options.addresses.map(({ address }) => address).toSorted();
      const leadsTo = [options.url.href, options.maxSockets, ...addresses].join(" ");
      const kept = all.get(partnerId);
      if (kept !== undefined && kept.leadsTo === leadsTo) {
        kept.isTaken = true;
        return kept;
      }
      if (kept !== undefined) drop(partnerId, kept);
      const connection = connect(options);
      const taken = { connection, answered: 0, leadsTo, isTaken: true, usedMs: now() };
      all.set(partnerId, taken);
      return taken;
    },
    give(partnerId) {
      const kept = all.get(partnerId);
      if (kept === undefined) return;
      // Last in the map's order: the longest unused come first.
      all.delete(partnerId);
      all.set(partnerId, Object.assign(kept, { isTaken: false, usedMs: now() }));
    },
    sweep() {
      let tooMany = all.size - KEEP_MOST;
      for (const [partnerId, kept] of all) {
        if (kept.isTaken || (tooMany <= 0 && now() - kept.usedMs < KEEP_MS)) continue;
        drop(partnerId, kept);
        tooMany--;
      }
    },
    close() {
      for (const [partnerId, kept] of all) drop(partnerId, kept);
    },
  };
}
