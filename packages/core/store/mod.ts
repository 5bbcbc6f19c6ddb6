/** The database: its connection, its migrations, and the embedded one. */
export { type Cells, createCells, MAIN_CELL, ofEachCell, type OpenCells } from "./cells.ts";
export { copyToCell } from "./cell_copies.ts";
export { CellError, readCellUrls, verifyCell, verifyControl } from "./verify_cell.ts";
export { type Database, openDatabase, type Sql } from "./database.ts";
export { type DatabaseRole, makeDatabaseLogin, makeDatabaseRoles } from "./database_roles.ts";
export { isPrivateWay, readDatabaseUrl } from "./database_url.ts";
export { migrate, type Migration, planMigration } from "./migrate.ts";
export { readSchemaRelease, schemaHash, type SchemaRelease } from "./schema_release.ts";
export { SchemaError, verifySchema } from "./schema_state.ts";
export { type Embedded, findEmbedded, startEmbedded } from "./embedded.ts";
export { isRunning, lockFolder } from "./folder_lock.ts";
export { type DatabaseState, readDatabaseState } from "./database_state.ts";
export { durability } from "./durability.ts";
export { findExcessPrivileges } from "./excess_privileges.ts";
export { missingSessionSettings } from "./session_settings.ts";
export { classifyFailure } from "./failure.ts";
export type { Transaction } from "./sql.ts";
export type { Listing, ListQuery } from "./list_query.ts";
