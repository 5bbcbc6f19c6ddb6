import type { Socket } from "node:net";
import postgres from "postgres";
import { createAnswerWatch } from "./answer_watch.ts";
import { askServer } from "./ask_server.ts";
import {
  type DatabaseServer,
  type DatabaseTarget,
  PUBLIC_SCHEMA,
  readDatabaseUrl,
} from "./database_url.ts";
import { followPrimary } from "./follow_primary.ts";
import { brokenSocket, openSocket } from "./open_socket.ts";
import { SESSION_SETTINGS } from "./session_settings.ts";
import { createSessions } from "./sessions.ts";
import type { Sql, Transaction } from "./sql.ts";
import { type Client, createSql } from "./statement.ts";
import { type Leases, runTransaction } from "./transaction.ts";

export type { Sql } from "./sql.ts";

/** An open database: PostgreSQL or PGlite, behind the same driver (Decision D61). */
export interface Database {
  /** Runs statements: int8 is bigint, timestamps are text, and JSON parameters are text. */
  sql: Sql;
  kind: "postgresql" | "pglite";
  /** The schema of its tables and functions, first in the search path of every session. */
  schema: string;
  /**
   * Reads what is past: here, or on a standby (Decision D121). `read` may be called twice.
   *
   * @param isThere whether the standby has what is read; without it every standby has
   */
  past<T>(
    read: (database: Database) => Promise<T>,
    isThere?: (standby: Database) => Promise<boolean>,
  ): Promise<T>;
  /** Waits for running statements, at most five seconds, then closes every connection. */
  close(): Promise<void>;
}

/** Options of `openDatabase`. A time limit that is left out does not apply, except 10 s for connecting. */
export interface DatabaseOptions {
  /** How many sessions at a time, 8 by default. */
  maxConnections?: number;
  applicationName?: string;
  /** A statement that takes longer is cancelled (57014); not in the embedded database. */
  statementTimeoutMs?: number;
  /**
   * Connections on which an answer takes longer are closed, since the server may be gone without notice.
   * Not for the embedded database.
   */
  answerTimeoutMs?: number;
  /**
   * True by default. If false, commits are answered before they are on disk, and a crash may lose them:
   * only for work that is repeated then. Not in the embedded database.
   */
  waitsForDisk?: boolean;
  /** Connects to this one of the URL's servers alone, whether it takes writes or not. */
  only?: DatabaseServer;
  /** For tests: the time limit of connecting, after which it is tried again. */
  connectTimeoutSeconds?: number;
}

const asText = (text: string) => text;

const CLOSE_PATIENCE_MS = 5_000;

/** SQLSTATE read_only_sql_transaction. */
const READ_ONLY = "25006";

/**
 * Opens a database; connections are made when first needed.
 *
 * @param url `postgres://user@host:port/name`, or `postgres://user@/name?host=/socket/folder`; a
 * primary and its standbys as `postgres://user@one,two/name?target_session_attrs=read-write`, where each
 * connection goes to the server that takes writes at that time (Decision D53).
 * @throws what `readDatabaseUrl` throws when the URL cannot be read
 */
export function openDatabase(url: string, options: DatabaseOptions = {}): Database {
  const { only } = options;
  const target: DatabaseTarget = {
    ...readDatabaseUrl(url),
    ...(only && { servers: [only], followsPrimary: false }),
  };
  const { answerTimeoutMs } = options;
  const watch = answerTimeoutMs !== undefined && target.kind === "postgresql"
    ? createAnswerWatch(answerTimeoutMs)
    : undefined;
  const connectSeconds = options.connectTimeoutSeconds ?? 10;
  const settings = driverSettings(target, options, connectSeconds);
  // Never connects; only creates parts of statements.
  const helpers = postgres(settings) as Client;
  const patienceMs = connectSeconds * 1_000;
  const open = (server: DatabaseServer) =>
    openSocket({ ...target, ...server }, { watch, tlsTimeoutMs: patienceMs });
  const parts = {
    // An option that the types of postgres.js leave out.
    createClient: (socket: () => Promise<Socket>, onnotice: (notice: postgres.Notice) => void) =>
      postgres({ ...settings, onnotice, ...{ socket } }) as Client,
    brokenSocket,
  };
  const follower = target.followsPrimary
    ? followPrimary({
      servers: target.servers,
      ask: (server) => askServer({ ...parts, openSocket: () => open(server) }, patienceMs),
      open,
    })
    : undefined;
  const sessions = createSessions({
    ...parts,
    max: options.maxConnections ?? 8,
    openSocket: () => follower?.openSocket() ?? open(target.servers[0]),
    // The server no longer takes writes, but another server may.
    isFinal: (error) => target.followsPrimary && (error as { code?: unknown }).code === READ_ONLY,
  });
  const beginOn =
    (leases: Leases) => async <T>(...input: [string, Body<T>] | [Body<T>]): Promise<T> => {
      const [characteristics, body] = input.length === 1 ? ["", input[0]] : input;
      return await runTransaction(leases, helpers, characteristics, body);
    };
  const sql: Sql = Object.assign(createSql(sessions.run, helpers), {
    begin: beginOn(sessions),
    async reserve() {
      const session = await sessions.lease();
      const end = () => sessions.discard(session);
      const lease = () => Promise.resolve(session);
      return Object.assign(createSql(session.run, helpers), {
        begin: beginOn({ lease, giveBack: () => {}, discard: end }),
        release: () => sessions.giveBack(session),
        end,
      });
    },
  });
  const close = () => {
    follower?.close();
    return sessions.close(CLOSE_PATIENCE_MS);
  };
  const { kind, schema } = target;
  const database: Database = { sql, kind, schema, past: (read) => read(database), close };
  return database;
}

type Body<T> = (sql: Transaction) => T | Promise<T>;

/** The settings of postgres.js for one session. */
function driverSettings(target: DatabaseTarget, options: DatabaseOptions, connectSeconds: number) {
  return {
    host: target.servers[0].host,
    port: target.servers[0].port,
    database: target.database,
    username: target.user,
    password: target.password,
    // The socket does TLS.
    ssl: false,
    max: 1,
    connect_timeout: connectSeconds,
    idle_timeout: 0,
    max_lifetime: null,
    fetch_types: false,
    // Statements that are left when a session ends are rejected at once.
    backoff: () => 0,
    onnotice: () => {},
    types: {
      bigint: postgres.BigInt,
      date: { to: 1184, from: [1082, 1114, 1184], serialize: asText, parse: asText },
      json: { to: 114, from: [114, 3802], serialize: asText, parse: JSON.parse },
    },
    connection: {
      application_name: options.applicationName ?? "sabika",
      TimeZone: "UTC",
      ...SESSION_SETTINGS,
      // Only when needed, since a pooler may not support it.
      ...(target.schema === PUBLIC_SCHEMA ? {} : { search_path: `${target.schema}, pg_temp` }),
      // PGlite is one session for all of its connections.
      ...(options.statementTimeoutMs === undefined || target.kind === "pglite"
        ? {}
        : { statement_timeout: options.statementTimeoutMs }),
      ...((options.waitsForDisk ?? true) || target.kind === "pglite"
        ? {}
        : { synchronous_commit: "off" }),
    },
  } satisfies postgres.Options<Record<string, postgres.PostgresType>>;
}
