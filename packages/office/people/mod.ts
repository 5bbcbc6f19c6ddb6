/** What commands need of people: the acts they ask for, migrations in their name, sessions. */
export type { AskedAct } from "./authorise.ts";
export { authoriseMigration, migrateDatabase } from "./migrate_database.ts";
export { openSession } from "./sessions.ts";
