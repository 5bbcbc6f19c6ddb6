/** People, their passkeys, identities and sessions, and what they may be asked for. */
export type { AskedAct } from "./authorise.ts";
export { authoriseMigration, migrateDatabase } from "./migrate_database.ts";
export { openSession } from "./sessions.ts";
