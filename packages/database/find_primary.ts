import { clearTimeout, setTimeout } from "node:timers";
import type { DatabaseServer } from "./database_url.ts";
import { classifyFailure } from "./failure.ts";

/**
 * How long silent servers are waited for, with and without another that takes writes; and how soon a standby
 * is asked again meanwhile, since it may be the one that is promoted.
 */
const WAIT_MS = { beside: 250, without: 2_000, again: 250 };

/**
 * Creates a function that finds the server that takes writes. All servers are asked at once, since an old
 * primary that does not know of its successor yet may precede it, and standbys again while another is silent.
 * Of several that take writes the last promoted one is chosen, but never one promoted before a server that
 * was found earlier.
 *
 * @param ask returns a server's timeline, which each promotion raises, or undefined if it takes no writes;
 * may throw
 * @param waitMs how long silent servers are waited for, with and without another that takes writes, and how
 * soon standbys are asked again meanwhile
 * @returns resolves with the server; rejects with the code `DATABASE_NO_PRIMARY` when none takes writes now,
 * or with a server's refusal when none will ever accept (such as for a wrong password)
 */
export function createPrimaryFinder(
  servers: readonly DatabaseServer[],
  ask: (server: DatabaseServer) => Promise<number | undefined>,
  waitMs = WAIT_MS,
): () => Promise<DatabaseServer> {
  let newestTimeline = 0;
  let looking: Promise<DatabaseServer> | undefined;
  return () => looking ??= look().finally(() => looking = undefined);

  async function look(): Promise<DatabaseServer> {
    const primaries: { server: DatabaseServer; timeline: number }[] = [];
    const failures = new Map<DatabaseServer, unknown>();
    const reasons = new Map<DatabaseServer, string>();
    const timers: ReturnType<typeof setTimeout>[] = [];
    let end = () => {};
    let isOver = false;
    const doIn = (ms: number, act: () => void) => {
      if (!isOver) timers.push(setTimeout(act, ms));
    };
    const askOne = async (server: DatabaseServer): Promise<void> => {
      const place = `${server.host}:${server.port}`;
      try {
        const timeline = await ask(server);
        if (timeline === undefined) {
          reasons.set(server, `${place} takes no writes`);
          doIn(waitMs.again, () => void askOne(server));
        } else if (timeline < newestTimeline) {
          reasons.set(server, `${place} is no longer the primary`);
        } else {
          primaries.push({ server, timeline });
          doIn(waitMs.beside, end);
        }
      } catch (error) {
        failures.set(server, error);
        reasons.set(server, `${place}: ${codeOf(error)}`);
      }
      doIn(waitMs.without, end);
    };
    await Promise.race([
      new Promise<void>((resolve) => end = resolve),
      Promise.all(servers.map(askOne)),
    ]);
    isOver = true;
    for (const timer of timers) clearTimeout(timer);
    const newest = primaries.toSorted((a, b) => b.timeline - a.timeline)[0];
    if (newest === undefined) {
      const isForGood = failures.size === servers.length &&
        [...failures.values()].every((error) => classifyFailure(error) === "fatal");
      throw isForGood ? failures.get(servers[0]!) : noPrimary(reasons.values());
    }
    newestTimeline = newest.timeline;
    return newest.server;
  }
}

function codeOf(error: unknown): string {
  return String((error as { code?: unknown }).code ?? "unknown");
}

function noPrimary(reasons: Iterable<string>): Error {
  return Object.assign(new Error(`no primary of the database: ${[...reasons].join(", ")}`), {
    code: "DATABASE_NO_PRIMARY",
  });
}
