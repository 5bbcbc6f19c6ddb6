import { type Placeholder, sql } from "drizzle-orm";
import type { PgRemoteDatabase } from "drizzle-orm/pg-proxy";
import { drizzle } from "./drizzle.ts";
import type { AnySql } from "./sql.ts";

/** The inputs of a query, as placeholders: all of `Name`, and those of `Optional` that have a value. */
export type Inputs<Name extends string, Optional extends string = never> =
  & { readonly [K in Name]: Placeholder }
  & { readonly [K in Optional]?: Placeholder };

/** A value for the driver; Drizzle does not encode the values of placeholders. */
type Value = string | number | bigint;

/** The values of a query, by the names of its placeholders. */
export type Values<G> = {
  readonly [K in keyof G]: object extends Pick<G, K> ? Value | undefined : Value;
};

interface Prepared<Result> {
  execute(values: Record<string, unknown>): Promise<Result>;
}

/**
 * Prepares a frequent query of Drizzle's: it is built once for each pool and each set of present values,
 * since building it takes about as long as running it.
 *
 * @param build builds the query with placeholders; conditions on absent values are left out
 * @returns a function that runs it on a pool
 */
export function preparedQuery<G extends object, Result>(
  build: (
    orm: PgRemoteDatabase,
    values: G,
  ) => { prepare(name: string): Prepared<Result> },
): (pool: AnySql, values: Values<G>) => Promise<Result> {
  const known = new WeakMap<AnySql, Map<string, Prepared<Result>>>();
  return (pool, values) => {
    const names = Object.entries(values).filter(([, value]) => value !== undefined)
      .map(([name]) => name);
    const shape = names.join();
    const queries = known.get(pool) ?? new Map<string, Prepared<Result>>();
    known.set(pool, queries);
    let query = queries.get(shape);
    if (query === undefined) {
      const placeholders = Object.fromEntries(names.map((name) => [name, sql.placeholder(name)]));
      query = build(drizzle(pool), placeholders as G).prepare(shape);
      queries.set(shape, query);
    }
    return query.execute(values);
  };
}
