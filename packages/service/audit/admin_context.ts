import type { Environment } from "@sabika/protocol";
import type { Database, Transaction } from "@sabika/database";
import type { AdminCells } from "./admin_cells.ts";
import type { Warrant } from "./warrant.ts";

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
  /** What authorises the act; undefined for the deployment's own programs, and before there are people. */
  warrant?: Warrant | undefined;
  /** The origin of the office's pages, where passkeys sign; undefined elsewhere: no passkey acts there. */
  passkeyOrigin?: string | undefined;
  /** The other cells; without them, the rows of their partners cannot be reached. */
  cells?: AdminCells | undefined;
  /** The transaction that the act is part of; when undefined, the act begins its own. */
  transaction?: Transaction | undefined;
  /** Whether the act is only tried: it has no audit entry, without which the database refuses to commit it. */
  isTrial?: boolean | undefined;
}
