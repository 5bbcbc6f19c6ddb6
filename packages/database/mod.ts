/** The driver: connections, sessions, TLS, finding the primary, prepared queries, the embedded PGlite. */
export { plainArray, textArray } from "./array_text.ts";
export { bytes, moment } from "./columns.ts";
export { type Database, openDatabase } from "./database.ts";
export { type DatabaseState, readDatabaseState } from "./database_state.ts";
export { hostsOf, isPrivateLink, PUBLIC_SCHEMA, readDatabaseUrl } from "./database_url.ts";
export { drizzle } from "./drizzle.ts";
export { durability } from "./durability.ts";
export { type Embedded, findEmbedded, startEmbedded } from "./embedded.ts";
export { classifyFailure, isNotReplicated } from "./failure.ts";
export { lockFolder } from "./folder_lock.ts";
export { readIncarnation } from "./incarnation.ts";
export { mapConcurrently } from "./map_concurrently.ts";
export { type Inputs, preparedQuery } from "./prepared_query.ts";
export { readMoment } from "./read_moment.ts";
export { missingSessionSettings } from "./session_settings.ts";
export type { AnySql, ReservedSql, Sql, TransactingSql, Transaction } from "./sql.ts";
export { openStandbys, type Standbys } from "./standbys.ts";
export { sqlFile } from "./sql_file.ts";
