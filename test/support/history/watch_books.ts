import { setTimeout as pause } from "node:timers/promises";
import type { Database, Sql } from "@sabika/database";
import type { Finding } from "./books.ts";
import { checkBooks } from "./check_books.ts";
import { readSnapshot } from "./snapshot.ts";

/** What holds over all partners, by queries that find what breaks it. */
const OVER_ALL: Readonly<Record<string, string>> = {
  "I1 promised gold is not what the vault and the accounts have": `
    select 0 as partner, 'vault' as what from vault
    where allocated_micrograms > bars_micrograms or allocated_micrograms <>
      (select coalesce(sum(gold_micrograms + allocation_micrograms), 0) from accounts)`,
  "I12 a lane is leased or put off for longer than it can be": `
    select partner_id as partner, 'lane' as what from webhook_lanes
    where leased_until > clock_timestamp() + interval '10 seconds'
      or (attempts = 0 and next_attempt_at > clock_timestamp() + interval '5 seconds')`,
};
/** The vault of cells' partners is control's. */
const OF_THE_VAULT = /^I1 /;

interface Watched {
  readonly database: Pick<Database, "sql">;
  /** Whether there are cells: then the vault is not that of the database's own accounts. */
  readonly hasCells?: boolean;
}

/** All that is wrong now in the books of a database, each partner's in one snapshot. */
export async function findBreaches(watched: Watched): Promise<Finding[]> {
  const found: Finding[] = [];
  for (const step of await stepsOf(watched)) found.push(...await step());
  return found;
}

type Step = () => Promise<Finding[]>;

async function stepsOf({ database: { sql }, hasCells = false }: Watched): Promise<Step[]> {
  const queries = Object.entries(OVER_ALL)
    .filter(([breach]) => !(hasCells && OF_THE_VAULT.test(breach)));
  const rows = await sql<{ partner: number }[]>`select partner_id as partner from accounts`;
  return [
    ...queries.map(([breach, query]) => () => overAll(sql, breach, query)),
    ...inParts(rows.map(({ partner }) => partner)).map((part) => () => ofPartners(sql, part)),
  ];
}

async function overAll(sql: Sql, breach: string, query: string): Promise<Finding[]> {
  const rows = await sql.unsafe<{ partner: number; what: string }[]>(query);
  const [invariant] = breach.split(" ") as [string];
  return rows.map(({ partner, what }) => ({
    invariant,
    partner,
    what: `${what}: ${breach}`,
    about: [],
  }));
}

/** How many partners are read in one snapshot, so that one of a long history stays small. */
const AT_ONCE = 4;

function inParts(partners: readonly number[]): number[][] {
  const count = Math.ceil(partners.length / AT_ONCE);
  return Array.from({ length: count }, (_, n) => partners.slice(AT_ONCE * n, AT_ONCE * (n + 1)));
}

async function ofPartners(sql: Sql, partners: readonly number[]): Promise<Finding[]> {
  const tables = await readSnapshot(sql, partners);
  // One that is being moved has a part of its rows in either database.
  const atHome = new Set(tables.accounts.map(({ partner }) => partner));
  return checkBooks(tables).filter(({ partner }) => atHome.has(partner));
}

/** A watch over books, which goes on until it is stopped. */
export interface BooksWatch {
  /** How often everything was checked. */
  readonly rounds: number;
  /** Ends it, and returns all that was found. */
  stop(): Promise<Finding[]>;
}

/** A pause is so many times as long as the check before it took. */
const REST = 2;
const AGAIN_MS = 50;

/**
 * Checks the books of databases, some partners at a time, while something else goes on. A database that is
 * away meanwhile is no breach.
 *
 * @param everyMs the least pause between two rounds
 */
export function watchBooks(watched: readonly Watched[], everyMs = 1_000): BooksWatch {
  const found: Finding[] = [];
  const over = new AbortController();
  const { signal } = over;
  const rest = (ms: number) => pause(ms, undefined, { signal }).catch(() => {});
  let rounds = 0;
  let due: Step[] = [];
  const ended = (async () => {
    while (!signal.aborted) {
      const startedMs = performance.now();
      const step = due.shift();
      try {
        if (step === undefined) due = (await Promise.all(watched.map(stepsOf))).flat();
        else found.push(...await step());
      } catch {
        // The database is away: that is what the test does to it. The round goes on afterwards.
        if (step !== undefined) due.push(step);
        await rest(AGAIN_MS);
      }
      await rest(REST * (performance.now() - startedMs));
      if (step === undefined || due.length > 0) continue;
      rounds += 1;
      await rest(everyMs);
    }
  })();
  return {
    get rounds() {
      return rounds;
    },
    async stop() {
      over.abort();
      await ended;
      return found;
    },
  };
}
