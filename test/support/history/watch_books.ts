import { setTimeout as pause } from "node:timers/promises";
import type { Database, Sql } from "@sabika/database";
import type { Finding } from "./books.ts";
import { checkBooks } from "./check_books.ts";
import { readSnapshot } from "./snapshot.ts";

/** Queries that find breaches of the invariants over all partners. */
const OVER_ALL: Readonly<Record<string, string>> = {
  "I1 promised gold is not what the vault and the accounts have": `
    select 0 as partner, 'vault' as what from vault
    where allocated_micrograms > bars_micrograms or allocated_micrograms <>
      (select coalesce(sum(gold_micrograms + allocation_micrograms), 0) from accounts)`,
  "I12 a lane is leased or postponed for longer than possible": `
    select partner_id as partner, 'lane' as what from webhook_lanes
    where leased_until > clock_timestamp() + interval '10 seconds'
      or (attempts = 0 and next_attempt_at > clock_timestamp() + interval '5 seconds')`,
};
/** The queries about the vault, which with cells also covers accounts in other databases. */
const OF_THE_VAULT = /^I1 /;

interface Watched {
  readonly database: Pick<Database, "sql">;
  /** Whether there are cells: then the vault covers accounts in other databases too. */
  readonly hasCells?: boolean;
}

/** Finds breaches in the books of a database, with one snapshot for each few partners. */
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

/** How many partners are read in one snapshot, so that it stays small in a long run. */
const AT_ONCE = 4;

function inParts(partners: readonly number[]): number[][] {
  const count = Math.ceil(partners.length / AT_ONCE);
  return Array.from({ length: count }, (_, n) => partners.slice(AT_ONCE * n, AT_ONCE * (n + 1)));
}

async function ofPartners(sql: Sql, partners: readonly number[]): Promise<Finding[]> {
  const tables = await readSnapshot(sql, partners);
  // A partner that is being moved has rows in both databases.
  const atHome = new Set(tables.accounts.map(({ partner }) => partner));
  return checkBooks(tables).filter(({ partner }) => atHome.has(partner));
}

/** A running check of the books. */
export interface BooksWatch {
  /** How many times all books were checked. */
  readonly rounds: number;
  /** Ends the checks, and returns all findings. */
  stop(): Promise<Finding[]>;
}

/** Each pause is this many times as long as the check before it. */
const REST = 2;
const AGAIN_MS = 50;

/**
 * Checks the books of databases repeatedly in the background, a few partners at a time. A database that
 * does not answer is no breach: its check is repeated.
 *
 * @param everyMs the shortest pause between two rounds
 */
export function watchBooks(watched: readonly Watched[], everyMs: number): BooksWatch {
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
        // The test has taken the database away; the round continues when it is back.
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
