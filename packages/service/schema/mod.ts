/** The schema of a database: migrations, functions of all rooms, roles and versions. */
export { type DatabaseRole, makeDatabaseLogin, makeDatabaseRoles } from "./database_roles.ts";
export { findExcessPrivileges } from "./excess_privileges.ts";
export { migrate, type Migration, planMigration } from "./migrate.ts";
export { readSchemaRelease, schemaHash, type SchemaRelease } from "./schema_release.ts";
export { SchemaError, verifySchema } from "./schema_state.ts";
