import { clearTimeout, setTimeout } from "node:timers";
import { type KeptSession, openSession, type Session, type SessionParts } from "./session.ts";
import type { MakeQuery } from "./statement.ts";

/** A pool of sessions with the server. */
export interface Sessions {
  /** Runs a statement on a free session, or else on the least busy. */
  run(make: MakeQuery): Promise<unknown>;
  /** Leases a session to the caller, on which no other statement is in flight. */
  lease(): Promise<Session>;
  /** Returns a leased session, without a transaction, changed settings or locks. */
  giveBack(session: Session): void;
  /** Ends a leased session whose state is unknown. */
  discard(session: Session): void;
  /** Waits up to `patienceMs` for statements in flight, then ends every session. */
  close(patienceMs: number): Promise<void>;
}

/** Options of `createSessions`: the functions that each session needs, and how many sessions. */
export interface SessionsOptions extends SessionParts {
  /** The most sessions at a time. */
  max: number;
}

const FIRST_PAUSE_MS = 20;
const LONGEST_PAUSE_MS = 500;

/**
 * Creates a pool of sessions. The pool of postgres.js reuses a connection object for one session after
 * another, and what one leaves behind breaks the next (Decision D69). Here each session has its own
 * driver, which ends with it.
 */
export function createSessions(options: SessionsOptions): Sessions {
  const members = new Set<KeptSession>();
  const pauses = createPauses();
  /** The callers that wait because all sessions are leased. */
  let waiting: (() => void)[] = [];
  let isClosed = false;
  /** Called when no session is in use, while the pool closes. */
  let onIdle: (() => void) | undefined;

  const keeper = {
    isClosed: () => isClosed,
    mayConnect: pauses.wait,
    onQuiet: noticeIdle,
    onEnd(member: KeptSession) {
      members.delete(member);
      pauses.sessionEnded(member.hasWorked);
      wake();
      noticeIdle();
    },
  };

  function noticeIdle(): void {
    if (onIdle === undefined) return;
    if ([...members].every(({ isLeased, underWay }) => !isLeased && underWay === 0)) onIdle();
  }

  /** Chooses the least busy session, or a new one if all are busy. */
  function choose(): KeptSession | undefined {
    let best: KeptSession | undefined;
    for (const member of members) {
      if (member.isLeased) continue;
      if (best === undefined || member.underWay < best.underWay) best = member;
    }
    const isFree = best !== undefined && best.underWay === 0;
    if (isFree || members.size >= options.max) return best;
    const member = openSession(options, keeper);
    members.add(member);
    return member;
  }

  /** Waits when all sessions are leased. The chosen session is used before another caller chooses. */
  async function chooseLater<T>(use: (member: KeptSession) => T): Promise<Awaited<T>> {
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

  return {
    run(make: MakeQuery) {
      const member = isClosed ? undefined : choose();
      // Usually nothing is awaited here, since every order comes this way.
      return member === undefined ? chooseLater((chosen) => chosen.run(make)) : member.run(make);
    },
    async lease() {
      for (;;) {
        const member = await chooseLater((chosen) => {
          chosen.isLeased = true;
          return chosen;
        });
        await member.quiet();
        if (!member.isOver) return member;
      }
    },
    giveBack(session: Session) {
      (session as KeptSession).isLeased = false;
      wake();
      noticeIdle();
    },
    discard: (session: Session) => (session as KeptSession).discard(),
    async close(patienceMs: number) {
      isClosed = true;
      wake();
      let timer: ReturnType<typeof setTimeout> | undefined;
      await new Promise<void>((resolve) => {
        onIdle = resolve;
        timer = setTimeout(resolve, patienceMs);
        noticeIdle();
      });
      clearTimeout(timer);
      await Promise.all([...members].map((member) => member.close()));
    },
  };
}

/** Makes the pauses between attempts to connect to a server that is away or starting. */
function createPauses() {
  /** How many sessions in a row ended before the server answered, and when the last did. */
  let failures = 0;
  let lastEndMs = -Infinity;
  return {
    sessionEnded(hasWorked: boolean): void {
      failures = hasWorked ? 0 : failures + 1;
      lastEndMs = performance.now();
    },
    async wait(): Promise<void> {
      if (failures === 0) return;
      const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** (failures - 1), LONGEST_PAUSE_MS);
      const leftMs = lastEndMs + pauseMs - performance.now();
      if (leftMs > 0) await new Promise((resolve) => setTimeout(resolve, leftMs));
    },
  };
}

function poolClosed(): Error {
  return Object.assign(new Error("the database was closed"), { code: "CONNECTION_ENDED" });
}
