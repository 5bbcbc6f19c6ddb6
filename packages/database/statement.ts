import type postgres from "postgres";
import type { AnySql, Types } from "./sql.ts";

/** The driver, for one session. */
export type Client = postgres.Sql<Types>;

/** Builds a statement for a session, which is only known when the statement runs. */
export type MakeQuery = (client: Client) => postgres.PendingQuery<postgres.Row[]>;

/** Runs a statement on a session of the caller's choice. */
export type RunQuery = (make: MakeQuery) => Promise<unknown>;

/**
 * A statement that runs when it is awaited, or a fragment of another one. It has only the driver's
 * modifiers below; cursors and COPY would need their own session.
 */
class Statement implements PromiseLike<unknown> {
  readonly #run: RunQuery;
  readonly make: MakeQuery;
  #result: Promise<unknown> | undefined;

  constructor(run: RunQuery, make: MakeQuery) {
    this.#run = run;
    this.make = make;
  }

  /** Runs it now instead of when it is awaited. */
  execute(): this {
    this.#result ??= this.#run(this.make);
    return this;
  }

  /** Returns rows as arrays instead of objects. */
  values(): Statement {
    return new Statement(this.#run, (client) => this.make(client).values() as never);
  }

  /** Uses the simple protocol: several statements at once, without parameters. */
  simple(): Statement {
    return new Statement(this.#run, (client) => this.make(client).simple());
  }

  then<A, B>(
    onFulfilled?: ((value: unknown) => A | PromiseLike<A>) | null,
    onRejected?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.#start().then(onFulfilled, onRejected) as Promise<A | B>;
  }

  catch<B>(onRejected?: ((reason: unknown) => B | PromiseLike<B>) | null): Promise<unknown> {
    return this.#start().catch(onRejected);
  }

  finally(onFinally?: (() => void) | null): Promise<unknown> {
    return this.#start().finally(onFinally);
  }

  #start(): Promise<unknown> {
    return this.#result ??= this.#run(this.make);
  }
}

/**
 * Creates the template tag for statements, like that of postgres.js.
 *
 * @param helpers a client that never connects; it creates lists, identifiers and typed values
 */
export function createSql(run: RunQuery, helpers: Client): AnySql {
  const tag = (first: unknown, ...rest: unknown[]): unknown =>
    Array.isArray(first) && "raw" in first
      ? new Statement(
        run,
        (client) => call(client, first, rest.map((value) => bind(value, client))),
      )
      : call(helpers, first, rest);
  const { typed, types, array, json } = helpers;
  return Object.assign(tag, {
    typed,
    types,
    array,
    json,
    unsafe: (...input: Parameters<Client["unsafe"]>) =>
      new Statement(run, (client) => client.unsafe(...input)),
    file: (...input: Parameters<Client["file"]>) =>
      new Statement(run, (client) => client.file(...input)),
    notify: (channel: string, payload: string) =>
      new Statement(run, (client) => client`select pg_notify(${channel}, ${payload})`),
  }) as unknown as AnySql;
}

function call(client: Client, first: unknown, rest: unknown[]) {
  return (client as unknown as (...input: unknown[]) => ReturnType<MakeQuery>)(first, ...rest);
}

/** Builds the fragments of a statement for the same session. */
function bind(value: unknown, client: Client): unknown {
  if (value instanceof Statement) return value.make(client);
  if (Array.isArray(value) && value[0] instanceof Statement) {
    return value.map((item) => bind(item, client));
  }
  return value;
}
