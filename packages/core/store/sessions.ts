import type { Socket } from "node:net";
import { clearTimeout, setTimeout } from "node:timers";
import type { Client, MakeQuery } from "./statement.ts";

/** One session of the server, from its greeting to its end. */
export interface Session {
  /** Runs a statement; several at once are sent one behind the other without waiting. */
  run(make: MakeQuery): Promise<unknown>;
  /** Whether its connection has ended. What is run on it afterwards is rejected, and was not sent. */
  readonly isOver: boolean;
}

/** Who uses which session. */
export interface Sessions {
  /** Runs a statement on whichever session is free first. */
  run(make: MakeQuery): Promise<unknown>;
  /** A session for the caller alone, on which nothing of anybody else is under way. */
  lease(): Promise<Session>;
  /** Gives a session back as it was: no transaction, no settings, no locks. */
  giveBack(session: Session): void;
  /** Ends a session of which nobody knows how it stands. */
  discard(session: Session): void;
  /** Waits up to `patienceMs` for what is under way, then ends every session. */
  close(patienceMs: number): Promise<void>;
}

export interface SessionsOptions {
  /** At most this number of sessions at a time. */
  max: number;
  /** Makes a driver for one session, with one connection that it asks `connect` for. */
  createClient(connect: () => Promise<Socket>): Client;
  openSocket(): Socket | Promise<Socket>;
  /** A socket that fails as soon as it is used. */
  brokenSocket(error: Error): Socket;
}

interface Member extends Session {
  client: Client;
  socket: Socket | undefined;
  isOver: boolean;
  isLeased: boolean;
  /** Statements that are not answered yet. */
  underWay: number;
  /** Whether the server ever answered. */
  hasWorked: boolean;
  onQuiet: (() => void) | undefined;
}

const FIRST_PAUSE_MS = 20;
const LONGEST_PAUSE_MS = 500;

/**
 * Keeps the sessions with the server. postgres.js has a pool of its own, which uses one connection
 * object for one session after the other; what the first leaves behind breaks the next
 * (Decision D69). Here each session has a driver of its own, which goes with it.
 */
export function createSessions(options: SessionsOptions): Sessions {
  const members = new Set<Member>();
  /** Those who wait because all sessions are leased. */
  let waiting: (() => void)[] = [];
  let isClosed = false;
  /** Sessions in a row that ended before the server answered, and when the last one did. */
  let failures = 0;
  let lastEndMs = -Infinity;
  /** Who waits for everybody to be done. */
  let onIdle: (() => void) | undefined;

  function open(): Member {
    const member: Member = {
      client: options.createClient(connect),
      socket: undefined,
      isOver: false,
      isLeased: false,
      underWay: 0,
      hasWorked: false,
      onQuiet: undefined,
      run: (make) => run(member, make),
    };
    let hasConnected = false;
    members.add(member);
    return member;

    async function connect(): Promise<Socket> {
      if (hasConnected || isClosed) return options.brokenSocket(sessionOver());
      hasConnected = true;
      await pause();
      const socket = await options.openSocket();
      member.socket = socket;
      for (const event of ["error", "end", "close"]) socket.once(event, () => end(member));
      return socket;
    }
  }

  /** Called once or more: at the first sign that a session ends nothing more is sent on it. */
  function end(member: Member): void {
    if (member.isOver) return;
    member.isOver = true;
    members.delete(member);
    failures = member.hasWorked ? 0 : failures + 1;
    lastEndMs = performance.now();
    wake();
    noticeIdle();
  }

  /** A server that is away, or just starting, is not asked without a break. */
  async function pause(): Promise<void> {
    if (failures === 0) return;
    const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** (failures - 1), LONGEST_PAUSE_MS);
    const leftMs = lastEndMs + pauseMs - performance.now();
    if (leftMs > 0) await new Promise((resolve) => setTimeout(resolve, leftMs));
  }

  function run(member: Member, make: MakeQuery): Promise<unknown> {
    member.underWay += 1;
    return make(member.client).then((rows) => {
      answered(member);
      member.hasWorked = true;
      return withoutHoles(rows);
    }, (error) => {
      answered(member);
      throw error;
    });
  }

  function answered(member: Member): void {
    member.underWay -= 1;
    if (member.underWay > 0) return;
    member.onQuiet?.();
    noticeIdle();
  }

  function noticeIdle(): void {
    if (onIdle === undefined) return;
    if ([...members].every(({ isLeased, underWay }) => !isLeased && underWay === 0)) onIdle();
  }

  /** The session with the least to do, a new one rather than one that is busy. */
  function choose(): Member | undefined {
    let best: Member | undefined;
    for (const member of members) {
      if (member.isLeased) continue;
      if (best === undefined || member.underWay < best.underWay) best = member;
    }
    const isFree = best !== undefined && best.underWay === 0;
    return isFree || members.size >= options.max ? best : open();
  }

  /** Where all sessions are leased. What is chosen is used at once, before anybody else chooses. */
  async function chooseLater<T>(use: (member: Member) => T): Promise<Awaited<T>> {
    for (;;) {
      if (isClosed) throw poolClosed();
      const member = choose();
      if (member !== undefined) return await use(member);
      await new Promise<void>((resolve) => waiting.push(resolve));
    }
  }

  function wake(): void {
    const woken = waiting;
    waiting = [];
    for (const resume of woken) resume();
  }

  async function quiet(member: Member): Promise<void> {
    if (member.underWay > 0) await new Promise<void>((resolve) => member.onQuiet = resolve);
    member.onQuiet = undefined;
  }

  return {
    run(make) {
      const member = isClosed ? undefined : choose();
      // Nothing is awaited here in the usual case: this is on the way of every order.
      return member === undefined ? chooseLater((chosen) => run(chosen, make)) : run(member, make);
    },
    async lease() {
      for (;;) {
        const member = await chooseLater((chosen) => {
          chosen.isLeased = true;
          return chosen;
        });
        await quiet(member);
        if (!member.isOver) return member;
      }
    },
    giveBack(session) {
      (session as Member).isLeased = false;
      wake();
      noticeIdle();
    },
    discard(session) {
      const member = session as Member;
      end(member);
      member.socket?.destroy();
    },
    async close(patienceMs) {
      isClosed = true;
      wake();
      let timer: ReturnType<typeof setTimeout> | undefined;
      await new Promise<void>((resolve) => {
        onIdle = resolve;
        timer = setTimeout(resolve, patienceMs);
        noticeIdle();
      });
      clearTimeout(timer);
      await Promise.all([...members].map(({ client }) => client.end({ timeout: 1 })));
    },
  };
}

function sessionOver(): Error {
  return Object.assign(new Error("the session with the database has ended"), {
    code: "SESSION_OVER",
  });
}

function poolClosed(): Error {
  return Object.assign(new Error("the database was closed"), { code: "CONNECTION_ENDED" });
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
