import { setTimeout as pause } from "node:timers/promises";
import { type Database, openDatabase } from "@sabika/database";

/** A server that may be the primary. */
interface Candidate {
  readonly name: string;
  /** The superuser's URL of this server alone. */
  readonly url: string;
}

/** A write that a server acknowledged. Times are of one clock, in milliseconds. */
interface Acknowledged {
  readonly id: string;
  readonly server: string;
  /** The server's timeline, which each promotion raises. */
  readonly timeline: number;
  readonly sentMs: number;
  readonly ackedMs: number;
}

const DATABASE = "judge";
const EVERY_MS = 200;
/** Shorter than a judge's round, and long enough for a machine under load. */
const STATEMENT_MS = 2_000;
const TABLE = "create table acknowledged (id uuid primary key)";

/**
 * Writes to each of several servers for as long as it runs, whoever is the primary, and finds afterwards
 * whether two took writes at once, or lost one.
 *
 * @param url the superuser's URL of the primary
 */
export async function startJudge(url: string, servers: readonly Candidate[]) {
  await inDatabase(url, ({ sql }) => sql.unsafe(`create database ${DATABASE}`));
  await inDatabase(ofJudge(url), ({ sql }) => sql.unsafe(TABLE));
  const acknowledged: Acknowledged[] = [];
  let isOver = false;
  const writing = servers.map(async ({ name, url }) => {
    const database = openDatabase(ofJudge(url), {
      maxConnections: 1,
      connectTimeoutSeconds: 2,
      statementTimeoutMs: STATEMENT_MS,
      answerTimeoutMs: 2 * STATEMENT_MS,
    });
    for (; !isOver; await pause(EVERY_MS)) {
      const [id, sentMs] = [crypto.randomUUID(), performance.now()];
      try {
        const [row] = await database.sql<{ timeline: number }[]>`
          insert into acknowledged values (${id}) returning
            ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::integer as timeline`;
        const { timeline } = row!;
        acknowledged.push({ id, server: name, timeline, sentMs, ackedMs: performance.now() });
      } catch {
        // It is not the primary, or cannot be reached.
      }
    }
    await database.close();
  });
  return {
    acknowledged,
    /** Ends, and returns what was wrong, in words; nothing if all is well. */
    async verdict(): Promise<string[]> {
      isOver = true;
      await Promise.all(writing);
      const kept = await inDatabase(
        ofJudge(url),
        ({ sql }) => sql<{ id: string }[]>`select id from acknowledged`,
      );
      const ids = new Set(kept.map(({ id }) => id));
      const lost = acknowledged.filter(({ id }) => !ids.has(id));
      return [...lost.map((write) => `lost: ${JSON.stringify(write)}`), ...rivals(acknowledged)];
    },
  };
}

/** Finds writes that a server acknowledged after another with a newer timeline had begun to. */
export function rivals(acknowledged: readonly Acknowledged[]): string[] {
  const wrong: string[] = [];
  /** When and by whom a write was first acknowledged on each timeline. */
  const firsts = new Map<number, Acknowledged>();
  for (const write of acknowledged.toSorted((a, b) => a.ackedMs - b.ackedMs)) {
    const first = firsts.get(write.timeline) ?? write;
    firsts.set(write.timeline, first);
    const isApart = first.server !== write.server;
    const isLate = [...firsts.values()].some((newer) =>
      newer.timeline > write.timeline && newer.ackedMs < write.sentMs
    );
    if (isApart || isLate) wrong.push(`two primaries: ${JSON.stringify(write)}`);
  }
  return wrong;
}

function ofJudge(url: string): string {
  return url.replace("/postgres", `/${DATABASE}`).replace(`${DATABASE}://`, "postgres://");
}

async function inDatabase<T>(url: string, body: (database: Database) => Promise<T>): Promise<T> {
  const database = openDatabase(url, { maxConnections: 1 });
  try {
    return await body(database);
  } finally {
    await database.close();
  }
}
