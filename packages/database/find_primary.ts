import { clearTimeout, setTimeout } from "node:timers";
import type { DatabaseServer } from "./database_url.ts";
import { classifyFailure } from "./failure.ts";

/** How long silent servers are waited for, with and without another that takes writes. */
const WAIT_MS = { beside: 250, without: 2_000 };

/**
 * Creates a function that finds the server that takes writes. All servers are asked at once, since an old
 * primary that does not know of its successor yet may precede it. Of several that take writes the last
 * promoted one is chosen, but never one promoted before a server that was found earlier.
 *
 * @param ask returns a server's timeline, which each promotion raises, or undefined if it takes no writes;
 * may throw
 * @param waitMs how long silent servers are waited for, with and without another that takes writes
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
          const timeline = await ask(server);
          if (timeline === undefined) reasons.push(`${place} takes no writes`);
          else if (timeline < newestTimeline) reasons.push(`${place} is no longer the primary`);
          else {
            primaries.push({ server, timeline });
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
    return newest.server;
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
