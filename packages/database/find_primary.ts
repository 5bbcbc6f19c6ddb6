import { clearTimeout, setTimeout } from "node:timers";
import type { DatabaseServer } from "./database_url.ts";
import { classifyFailure } from "./failure.ts";

/** The state that a server reports. */
export interface ServerState {
  /** When it was started, as text; distinguishes two servers from one with two names. */
  readonly since: string;
  /** Its timeline, which each promotion raises; undefined when it takes no writes. */
  readonly timeline: number | undefined;
}

/** How long silent servers are waited for, with and without another that takes writes. */
const WAIT_MS = { beside: 250, without: 2_000 };

interface Primary {
  readonly server: DatabaseServer;
  readonly since: string;
  readonly timeline: number;
}

/**
 * Creates a function that finds the server that takes writes. All servers are asked at once, since an old
 * primary that came back may precede the new one. Of several that take writes the last promoted one is
 * chosen, but never one promoted before a server that was found earlier. If two were promoted independently,
 * nobody knows which has the acknowledged writes, so neither is chosen.
 *
 * @param ask reads the state of a server; may throw
 * @param waitMs how long silent servers are waited for, with and without another that takes writes
 * @returns resolves with the server; rejects with the code `DATABASE_NO_PRIMARY` when none takes writes now,
 * or with a server's refusal when none will ever accept (such as for a wrong password)
 */
export function createPrimaryFinder(
  servers: readonly DatabaseServer[],
  ask: (server: DatabaseServer) => Promise<ServerState>,
  waitMs = WAIT_MS,
): () => Promise<DatabaseServer> {
  let newestTimeline = 0;
  let looking: Promise<DatabaseServer> | undefined;
  return () => looking ??= look().finally(() => looking = undefined);

  async function look(): Promise<DatabaseServer> {
    const primaries: Primary[] = [];
    const failures: unknown[] = [];
    const reasons: string[] = [];
    const timers: ReturnType<typeof setTimeout>[] = [];
    let end = () => {};
    let isOver = false;
    const endIn = (ms: number) => {
      if (!isOver) timers.push(setTimeout(() => end(), ms));
    };
    await Promise.race([
      new Promise<void>((resolve) => end = resolve),
      Promise.all(servers.map(async (server) => {
        const place = `${server.host}:${server.port}`;
        try {
          const { since, timeline } = await ask(server);
          if (timeline === undefined) reasons.push(`${place} takes no writes`);
          else if (timeline < newestTimeline) reasons.push(`${place} is no longer the primary`);
          else {
            primaries.push({ server, since, timeline });
            endIn(waitMs.beside);
          }
        } catch (error) {
          failures.push(error);
          reasons.push(`${place}: ${codeOf(error)}`);
        }
        endIn(waitMs.without);
      })),
    ]);
    isOver = true;
    for (const timer of timers) clearTimeout(timer);
    const newest = primaries.toSorted((a, b) => b.timeline - a.timeline)[0];
    if (newest === undefined) {
      const isForGood = failures.length === servers.length &&
        failures.every((error) => classifyFailure(error) === "fatal");
      throw isForGood ? failures[0] : noPrimary(reasons);
    }
    newestTimeline = newest.timeline;
    const rivals = primaries.filter(({ timeline, since }) =>
      timeline === newest.timeline && since !== newest.since
    );
    if (rivals.length === 0) return newest.server;
    throw noPrimary(["several servers take writes, promoted independently"]);
  }
}

function codeOf(error: unknown): string {
  return String((error as { code?: unknown }).code ?? "unknown");
}

function noPrimary(reasons: readonly string[]): Error {
  return Object.assign(new Error(`no primary of the database: ${reasons.join(", ")}`), {
    code: "DATABASE_NO_PRIMARY",
  });
}
