/**
 * Stores the position of an ordered receiver: the number of the next event. Events are numbered without gaps,
 * so all events with smaller numbers are repeats.
 */
export interface SequenceStore<Transaction> {
  /** Reads the number of the next event. */
  next(): Promise<number>;
  /**
   * Does the work for the event with this number and stores the next number: both or neither.
   *
   * @returns false, and does nothing, if this is not the next event
   */
  step(sequence: number, work: (transaction: Transaction) => Promise<void>): Promise<boolean>;
}

/**
 * Keeps the number in memory until the program ends, for trials.
 *
 * @param from the number of the first event to handle
 * @example
 * ```ts
 * import { sequenceInMemory } from "@sabika/client";
 *
 * const sequence = sequenceInMemory();
 * console.log(await sequence.step(1, () => Promise.resolve()), await sequence.next()); // true 2
 * ```
 */
export function sequenceInMemory(from = 1): SequenceStore<void> {
  let next = from;
  return {
    next: () => Promise.resolve(next),
    async step(sequence, work) {
      if (sequence !== next) return false;
      await work();
      next++;
      return true;
    },
  };
}

/** Sends a statement with `$1`, `$2`, … to PostgreSQL, and returns the rows. */
export type PostgresQuery = (
  text: string,
  values: (string | number)[],
) => PromiseLike<readonly unknown[]>;

/** The options of {@link sequenceInPostgres}, which works with any driver. */
export interface PostgresSequenceOptions {
  /** Runs `work` in one transaction, which is rolled back if it throws; returns its result. */
  begin: (work: (query: PostgresQuery) => Promise<unknown>) => PromiseLike<unknown>;
  /** The name of this receiver among several in one database; `sabika` by default. */
  name?: string;
  /** The number of the first event to handle; 1 by default. */
  from?: number;
}

/**
 * Keeps the number in PostgreSQL, in a table that you make once:
 *
 * ```sql
 * create table sabika_receivers (name text primary key, next_sequence bigint not null);
 * ```
 *
 * `handle` gets a function that runs statements in the transaction of the step: their effect happens exactly
 * once, whichever process is killed at any moment, and however many processes receive.
 *
 * @example With postgres.js
 * ```ts
 * import { sequenceInPostgres } from "@sabika/client";
 * import postgres from "postgres";
 *
 * const sql = postgres("postgres://127.0.0.1/bank", { max: 4 });
 * const sequence = sequenceInPostgres({
 *   begin: (work) => sql.begin((tx) => work((text, values) => tx.unsafe(text, values))),
 * });
 * console.log(typeof sequence.step);
 * await sql.end();
 * ```
 */
export function sequenceInPostgres(
  { begin, name = "sabika", from = 1 }: PostgresSequenceOptions,
): SequenceStore<PostgresQuery> {
  return {
    next: async () =>
      await begin(async (query) => {
        await query(
          `insert into sabika_receivers (name, next_sequence) values ($1, $2) on conflict do nothing`,
          [name, from],
        );
        const [row] = await query(
          "select next_sequence from sabika_receivers where name = $1",
          [name],
        ) as { next_sequence: string | number | bigint }[];
        return Number(row!.next_sequence);
      }) as number,
    step: async (sequence, work) =>
      await begin(async (query) => {
        // The row's lock makes other processes wait; they then find a greater number.
        const rows = await query(
          `update sabika_receivers set next_sequence = next_sequence + 1
           where name = $1 and next_sequence = $2 returning name`,
          [name, sequence],
        );
        if (rows.length === 0) return false;
        await work(query);
        return true;
      }) as boolean,
  };
}
