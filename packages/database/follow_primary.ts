import type { Socket } from "node:net";
import { clearInterval, setInterval } from "node:timers";
import type { DatabaseServer } from "./database_url.ts";
import { createPrimaryFinder } from "./find_primary.ts";
import { brokenSocket } from "./open_socket.ts";

/** Opens connections to the present primary. */
export interface PrimaryFollower {
  /** Opens a socket to the primary; without a known primary the socket breaks as soon as it is used. */
  openSocket(): Promise<Socket>;
  close(): void;
}

/** How long connections to a replaced primary may continue. */
const LOOK_EVERY_MS = 10_000;

/**
 * Follows the primary among servers. Statements to a dead server fail, and new connections find the other;
 * but an old primary that is alive still answers reads. So the servers are asked again while there are
 * connections, and these are ended when another server has become the primary.
 *
 * @param parts.ask as for `createPrimaryFinder`
 */
export function followPrimary(
  { servers, ask, open }: {
    readonly servers: readonly DatabaseServer[];
    readonly ask: (server: DatabaseServer) => Promise<number | undefined>;
    readonly open: (server: DatabaseServer) => Socket | Promise<Socket>;
  },
): PrimaryFollower {
  const find = createPrimaryFinder(servers, ask);
  const sockets = new Map<Socket, DatabaseServer>();
  let timer: ReturnType<typeof setInterval> | undefined;

  async function look(): Promise<DatabaseServer> {
    const primary = await find();
    for (const [socket, server] of sockets) if (server !== primary) socket.destroy(moved());
    return primary;
  }

  return {
    async openSocket() {
      try {
        const primary = await look();
        const socket = await open(primary);
        sockets.set(socket, primary);
        socket.once("close", () => sockets.delete(socket));
        // Without a known primary the present connections are kept.
        timer ??= setInterval(() => sockets.size > 0 && look().catch(() => {}), LOOK_EVERY_MS)
          .unref();
        return socket;
      } catch (error) {
        return brokenSocket(error as Error);
      }
    },
    close: () => clearInterval(timer),
  };
}

function moved(): Error {
  return Object.assign(new Error("another server is the database's primary now"), {
    code: "DATABASE_MOVED",
  });
}
