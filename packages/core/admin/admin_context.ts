import type { Environment } from "@sabika/protocol";
import type { Database } from "../store/database.ts";

/** Who acts, and from where; both go into the audit log. */
export interface Actor {
  who: string;
  from: string;
}

/** What every administrative act needs; it carries no partner's credentials and no keys. */
export interface AdminContext {
  database: Database;
  environment: Environment;
  actor: Actor;
  /** Epoch milliseconds. */
  now: () => number;
  random: (length: number) => Uint8Array;
}
