import type { Socket } from "node:net";
import { clearInterval, setInterval } from "node:timers";
import type { DatabaseServer } from "./database_url.ts";
import { createPrimaryFinder, type ServerState } from "./find_primary.ts";
import { brokenSocket } from "./open_socket.ts";

/** Makes connections to whichever server is the primary. */
export interface PrimaryFollower {
  /** A socket to the primary, or one that breaks as soon as it is used. */
  openSocket(): Promise<Socket>;
  close(): void;
}

/** How long connections may go on to a server that another one was promoted in place of. */
const LOOK_EVERY_MS = 10_000;

/**
 * Follows the primary among servers. A statement to one that is dead fails and a new connection finds the other;
 * but an old primary that lives on answers what is read, so that one looks again while there are connections,
 * and ends them when the primary has become another.
 *
 * @param parts.ask what a server says of itself; may throw
 */
export function followPrimary(
  { servers, ask, open }: {
    readonly servers: readonly DatabaseServer[];
    readonly ask: (server: DatabaseServer) => Promise<ServerState>;
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
        // Without a primary nothing better is known than the connections that there are.
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
