/** The parts of `people` that commands need: acts asked for, migrations in a person's name, sessions. */
export type { AskedAct } from "./authorise.ts";
export { authoriseMigration, migrateDatabase } from "./migrate_database.ts";
export { openSession } from "./sessions.ts";
