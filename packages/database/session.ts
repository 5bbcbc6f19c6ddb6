import type { Socket } from "node:net";
import { classifyFailure, NOT_REPLICATED } from "./failure.ts";
import type { Client, MakeQuery } from "./statement.ts";

/** One session of the server, from its start to its end. */
export interface Session {
  /** Runs a statement, pipelined with others; rejects with its error, or with `NOT_REPLICATED`. */
  run(make: MakeQuery): Promise<unknown>;
  /** Whether its connection has ended. Later statements are rejected without being sent. */
  readonly isOver: boolean;
}

/** A notice that a server sends in addition to its answers. */
interface Notice {
  /** The function in PostgreSQL's source, whose name is the same in every language of the server. */
  readonly routine?: string;
}

/** The routine that warns when a commit is answered without the standby's confirmation. */
const WAITS_FOR_STANDBY = "SyncRepWaitForLSN";

/** The functions that a session needs. */
export interface SessionParts {
  /** Creates a driver with one connection, which it gets from `connect`; notices go to `onNotice`. */
  createClient(connect: () => Promise<Socket>, onNotice: (notice: Notice) => void): Client;
  openSocket(): Socket | Promise<Socket>;
  /** Returns a socket that fails as soon as it is used. */
  brokenSocket(error: Error): Socket;
  /** Whether a session should be ended after a statement on it failed with this error. */
  isFinal?(error: unknown): boolean;
}

/** The callbacks of a session to its keeper. */
export interface SessionKeeper {
  /** Whether no further connection may be made. */
  isClosed(): boolean;
  /** Resolves when the connection may be made. */
  mayConnect(): Promise<void>;
  /** Called when no statement is in flight any more. */
  onQuiet(): void;
  /** Called once, when the session has ended. */
  onEnd(session: KeptSession): void;
}

/** A session as its keeper sees it. */
export interface KeptSession extends Session {
  isLeased: boolean;
  /** How many statements are in flight. */
  readonly underWay: number;
  /** Whether the server ever answered. */
  readonly hasWorked: boolean;
  /** Waits until no statement is in flight. */
  quiet(): Promise<void>;
  /** Ends it at once, even with statements in flight. */
  discard(): void;
  /** Ends it after the statements in flight, or after a second. */
  close(): Promise<void>;
}

/** Opens a session: its connection is made when its first statement is run. */
export function openSession(parts: SessionParts, keeper: SessionKeeper): KeptSession {
  let isOnlyOnPrimary = false;
  const client = parts.createClient(connect, ({ routine }) => {
    isOnlyOnPrimary ||= routine === WAITS_FOR_STANDBY;
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

  /** May be called several times; from the first sign of its end, nothing more is sent on a session. */
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
      if (!isOnlyOnPrimary) return withoutHoles(rows);
      session.discard();
      throw notReplicated();
    }, (error) => {
      answered();
      if (parts.isFinal?.(error)) session.discard();
      // The driver sends a statement only after the server's first bytes.
      const wasSent = socket?.bytesRead !== 0;
      throw !wasSent && classifyFailure(error) === "lost" ? sessionOver(error) : error;
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
  const message = "the wait for the standby was cancelled: a promotion may undo this";
  return Object.assign(new Error(message), { code: NOT_REPLICATED });
}

function sessionOver(cause?: unknown): Error {
  return Object.assign(new Error("the session with the database has ended", { cause }), {
    code: "SESSION_OVER",
  });
}

/**
 * Removes the holes at the beginning of a result: after a statement that failed amid its rows, postgres.js
 * continues to count the rows of the next result on the same connection.
 */
function withoutHoles(results: unknown): unknown {
  // Several statements in one have an array of results, of which only the first can have holes.
  const all = results as unknown[] & { command?: string };
  const rows = all.command === undefined && Array.isArray(all[0]) ? all[0] as unknown[] : all;
  let holes = 0;
  while (holes < rows.length && !(holes in rows)) holes += 1;
  if (holes > 0) rows.splice(0, holes);
  return results;
}
