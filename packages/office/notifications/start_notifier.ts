import type { Environment } from "@sabika/protocol";
import type { Database } from "@sabika/database";
import { type Job, jobFailed, type Log, startJobs } from "@sabika/server";
import type { AdminCells } from "@sabika/service/audit";
import type { EndpointPolicy } from "@sabika/service/delivery";
import {
  type ConditionKind,
  forgetOld,
  keepTold,
  NOTIFICATION_KINDS,
} from "@sabika/service/notifications";
import type { PriceSource } from "@sabika/service/prices";
import { rolesFor } from "@sabika/terms";
import { inCells } from "../oversight/in_cells.ts";
import { openCell } from "../reads/open_cell.ts";
import { CONDITIONS } from "./conditions.ts";
import type { SendMail, WriteMail } from "./mail.ts";
import { sendMails } from "./send_mails.ts";
import { createWebhookSender, type WebhookSettings } from "./send_webhooks.ts";
import { tellExpired } from "./tell_expired.ts";

/** What the notifier works on, and by which ways it tells. */
export interface NotifierParts {
  /** Control's, as the operator's role. */
  readonly database: Database;
  /** How the databases of cells are reached; there are none by default. */
  readonly cells?: AdminCells | undefined;
  readonly prices: Pick<PriceSource, "latest">;
  readonly environment: Environment;
  /** The office's address. */
  readonly origin: string;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly random: (length: number) => Uint8Array;
  readonly log: Log;
  /** Less free gold in the vault than this is little. */
  readonly reserveLowMicrograms: bigint;
  readonly writeMail: WriteMail;
  /** Undefined where no mail server is set: then nobody gets mails. */
  readonly sendMail: SendMail | undefined;
  /** Undefined where no webhook is set; `extraCaPem` and `timeoutMs` are for tests. */
  readonly webhook:
    | WebhookSettings & { readonly extraCaPem?: string; readonly timeoutMs?: number }
    | undefined;
  /** Where webhooks may go. */
  readonly endpoints: EndpointPolicy;
  /** For tests: how often to look for what is due to be sent. */
  readonly pollMs?: number;
}

const SEND_EVERY_MS = 1_000;
const LOOK_EVERY_MS = 30_000;
const FORGET_EVERY_MS = 3_600_000;

/**
 * Starts what tells people, apart from all requests: several offices may run it at once (Decision D98).
 *
 * @returns a function that stops it, and waits for what is being sent
 */
export function startNotifier(parts: NotifierParts): () => Promise<void> {
  const { database, environment, origin, now, random, log, writeMail, sendMail, webhook } = parts;
  const { pollMs = SEND_EVERY_MS } = parts;
  const { sql } = database;
  const sending = {
    sql,
    now,
    random,
    onFailed: ({ channel, id, reason }: { channel: string; id: number; reason: string }) =>
      log("warning", "notification_failed", { name: channel, sequence: id, reason }),
  };
  const jobs: Job[] = [
    ...sendMail === undefined ? [] : [{
      name: "notification_mails",
      everyMs: pollMs,
      run: () => sendMails({ ...sending, environment, origin, write: writeMail, send: sendMail }),
    }],
    ...webhook === undefined ? [] : [{
      name: "notification_webhooks",
      everyMs: pollMs,
      run: createWebhookSender({ ...sending, ...webhook, environment, policy: parts.endpoints }),
    }],
    { name: "notification_expired", everyMs: LOOK_EVERY_MS, run: () => tellExpired(database) },
    { name: "notification_conditions", everyMs: LOOK_EVERY_MS, run: () => tellConditions(parts) },
    { name: "notification_forgets", everyMs: FORGET_EVERY_MS, run: () => forgetOld(sql) },
  ];
  return startJobs(jobs, jobFailed(log));
}

/** Looks for every condition, and tells of what is new; one that cannot be looked for holds up no other. */
async function tellConditions(
  { database, cells, prices, reserveLowMicrograms, now }: NotifierParts,
): Promise<void> {
  const everyCell = inCells({ control: database, openCell: (id) => openCell({ cells }, id) });
  const { found: databases, away } = await everyCell.usable();
  const place = {
    sql: database.sql,
    cells: databases.map(({ sql }) => sql),
    prices,
    reserveLowMicrograms,
    nowMs: now(),
  };
  const failures: unknown[] = [];
  for (const [kind, find] of Object.entries(CONDITIONS)) {
    const roles = rolesFor(NOTIFICATION_KINDS[kind as ConditionKind]);
    try {
      const found = await find(place);
      await keepTold(database, kind as ConditionKind, found, { roles, isWhole: away.length === 0 });
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
}
