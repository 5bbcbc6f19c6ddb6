/** The business, without HTTP. */

// store
export { type Database, type DatabaseOptions, openDatabase, type Sql } from "./store/database.ts";
export { migrate } from "./store/migrate.ts";
export {
  type Embedded,
  type EmbeddedOptions,
  findEmbedded,
  startEmbedded,
} from "./store/embedded.ts";
export { type Durability, durability } from "./store/durability.ts";
