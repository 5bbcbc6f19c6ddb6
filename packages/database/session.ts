import type { Socket } from "node:net";
import { NOT_REPLICATED } from "./failure.ts";
import type { Client, MakeQuery } from "./statement.ts";

/** One session of the server, from its greeting to its end. */
export interface Session {
  /** Runs a statement; several at once are sent one behind the other without waiting. */
  run(make: MakeQuery): Promise<unknown>;
  /** Whether its connection has ended. What is run on it afterwards is rejected, and was not sent. */
  readonly isOver: boolean;
}

/** What a server says beside its answers. */
interface Notice {
  /** The place in PostgreSQL's source, which no language changes. */
  readonly routine?: string;
}

/** Where PostgreSQL warns that it waits no longer for the standby, and answers the commit as done. */
const WAITS_FOR_STANDBY = "SyncRepWaitForLSN";

/** What a session is made with. */
export interface SessionParts {
  /** Makes a driver for one session, with one connection that it asks `connect` for; notices go to `hear`. */
  createClient(connect: () => Promise<Socket>, hear: (notice: Notice) => void): Client;
  openSocket(): Socket | Promise<Socket>;
  /** A socket that fails as soon as it is used. */
  brokenSocket(error: Error): Socket;
  /** Whether a session on which a statement failed so is to be ended. */
  isOfNoUse?(error: unknown): boolean;
}

/** What whoever keeps a session has to do with it. */
export interface SessionKeeper {
  /** Whether no further connection is to be made. */
  isClosed(): boolean;
  /** Resolves when the connection may be made. */
  mayConnect(): Promise<void>;
  /** No statement is under way any more. */
  onQuiet(): void;
  /** The session has ended; called once. */
  onEnd(session: KeptSession): void;
}

/** A session as its keeper sees it. */
export interface KeptSession extends Session {
  isLeased: boolean;
  /** Statements that are not answered yet. */
  readonly underWay: number;
  /** Whether the server ever answered. */
  readonly hasWorked: boolean;
  /** Waits until no statement is under way. */
  quiet(): Promise<void>;
  /** Ends it at once, whatever is under way. */
  discard(): void;
  /** Ends it after what is under way, or after a second. */
  close(): Promise<void>;
}

/** Opens a session: its connection is made when its first statement is run. */
export function openSession(parts: SessionParts, keeper: SessionKeeper): KeptSession {
  let isOnOneDiskAlone = false;
  const client = parts.createClient(connect, ({ routine }) => {
    isOnOneDiskAlone ||= routine === WAITS_FOR_STANDBY;
  });
  let hasConnected = false;
  let socket: Socket | undefined;
  let onQuiet: (() => void) | undefined;
  const session = {
    isOver: false,
    isLeased: false,
    underWay: 0,
    hasWorked: false,
    run,
    async quiet() {
      if (session.underWay > 0) await new Promise<void>((resolve) => onQuiet = resolve);
      onQuiet = undefined;
    },
    discard() {
      end();
      socket?.destroy();
    },
    close: () => client.end({ timeout: 1 }),
  };
  return session;

  async function connect(): Promise<Socket> {
    if (hasConnected || keeper.isClosed()) return parts.brokenSocket(sessionOver());
    hasConnected = true;
    await keeper.mayConnect();
    socket = await parts.openSocket();
    for (const event of ["error", "end", "close"]) socket.once(event, end);
    return socket;
  }

  /** Called once or more: at the first sign that a session ends nothing more is sent on it. */
  function end(): void {
    if (session.isOver) return;
    session.isOver = true;
    keeper.onEnd(session);
  }

  function run(make: MakeQuery): Promise<unknown> {
    session.underWay += 1;
    return make(client).then((rows) => {
      answered();
      session.hasWorked = true;
      if (!isOnOneDiskAlone) return withoutHoles(rows);
      session.discard();
      throw notReplicated();
    }, (error) => {
      answered();
      if (parts.isOfNoUse?.(error)) session.discard();
      throw error;
    });
  }

  function answered(): void {
    session.underWay -= 1;
    if (session.underWay > 0) return;
    onQuiet?.();
    keeper.onQuiet();
  }
}

function notReplicated(): Error {
  return Object.assign(
    new Error("the wait for the standby was cancelled: a promotion may undo this"),
    {
      code: NOT_REPLICATED,
    },
  );
}

function sessionOver(): Error {
  return Object.assign(new Error("the session with the database has ended"), {
    code: "SESSION_OVER",
  });
}

/**
 * postgres.js counts the rows of a result on from those of a statement that failed amid its rows on
 * the same connection, so that the next result begins with holes.
 */
function withoutHoles(results: unknown): unknown {
  // Several statements in one have an array of results, of which the first alone can be so.
  const all = results as unknown[] & { command?: string };
  const rows = all.command === undefined && Array.isArray(all[0]) ? all[0] as unknown[] : all;
  let holes = 0;
  while (holes < rows.length && !(holes in rows)) holes += 1;
  if (holes > 0) rows.splice(0, holes);
  return results;
}
