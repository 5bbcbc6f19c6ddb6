import type { EndpointConnection, EndpointOptions } from "./post_webhook.ts";

/** A connection that outlives a visit. */
export interface KeptConnection {
  readonly connection: EndpointConnection;
  /** Answers that came over it, which say how many more it can be trusted with at once. */
  answered: number;
}

/** Connections to endpoints that outlive a visit, one set for each partner. */
export interface KeptConnections {
  /** The kept connection, if it leads to the same endpoint at the same addresses, else a new one. */
  take(partnerId: number, options: EndpointOptions): KeptConnection;
  /** Keeps the partner's connection, which `take` returned, for the next visit. */
  give(partnerId: number): void;
  /** Closes connections that are long unused, and the longest unused of too many. */
  sweep(): void;
  /** Closes all connections. */
  close(): void;
}

interface Kept extends KeptConnection {
  readonly leadsTo: string;
  isTaken: boolean;
  usedMs: number;
}

/** Below the 15 s after which many servers close, and above the pause between two orders of a busy partner. */
const KEEP_MS = 10_000;
const KEEP_MOST = 512;

/**
 * Makes the store. A TLS handshake costs both sides more than all else of a delivery, so it is not
 * paid for each visit; an address is still checked at each (Decision D36), and a connection to one
 * that the name has no more is closed.
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
      const addresses = options.addresses.map(({ address }) => address);
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
