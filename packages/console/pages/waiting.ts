import { type Database, mapConcurrently } from "@sabika/database";
import { listApprovalsFor } from "@sabika/office/acts";
import { CONDITIONS } from "@sabika/office/notifications";
import { listWithdrawalsToPay } from "@sabika/service/bank";
import { type ConditionKind, NOTIFICATION_KINDS } from "@sabika/service/notifications";
import { mayDo } from "@sabika/terms";
import type { Call } from "../call.ts";
import { pathOfNotification, sayNotification } from "../layout/notification.ts";

/** Requests, and withdrawals of a cell, are counted up to this. */
export const COUNTED = 1_000;

/** What somebody should do or look at: how many there are, or one fact, and the page that has just these. */
export interface Item {
  readonly count?: number;
  readonly text: string;
  /** The path after the language, with the filter. */
  readonly path: string;
}

/**
 * Reads what waits for the viewer: at most 1,000 requests, and 1,000 withdrawals of each cell. Nothing of what
 * their roles do not permit.
 *
 * @param databases the databases of the cells that answer
 */
export async function readWaiting(
  { database: { sql }, environment, now, viewer, words: { overview } }: Call,
  databases: readonly Database[],
): Promise<Item[]> {
  const { name, roles } = viewer;
  const [requests, toPay] = await Promise.all([
    listApprovalsFor(sql, environment, viewer, { nowMs: now(), limit: COUNTED }),
    mayDo(roles, "withdrawal.processing")
      ? mapConcurrently(databases, (cell) => listWithdrawalsToPay(cell.sql, { limit: COUNTED }))
      : [],
  ]);
  const filter = new URLSearchParams({ for: name }).toString();
  return [
    { count: requests.length, text: overview.toApprove, path: `/approvals?${filter}` },
    { count: toPay.flat().length, text: overview.toPay, path: "/withdrawals" },
  ].filter(({ count }) => count > 0);
}

/** Reads what needs a look, as far as the viewer's roles permit: it is wrong, or will be soon. */
export async function readTroubles(
  { database: { sql }, now, prices, reserveLowMicrograms, viewer, words }: Call,
  databases: readonly Database[],
): Promise<Item[]> {
  const cells = databases.map((cell) => cell.sql);
  const place = { sql, cells, prices, reserveLowMicrograms, nowMs: now() };
  const kinds = (Object.keys(CONDITIONS) as ConditionKind[])
    .filter((kind) => mayDo(viewer.roles, NOTIFICATION_KINDS[kind]));
  const items = await mapConcurrently(kinds, async (kind): Promise<Item[]> => {
    const found = await CONDITIONS[kind](place);
    const [first] = found;
    if (first === undefined) return [];
    const path = pathOfNotification({ kind });
    if (!COUNTED_KINDS.has(kind)) {
      return [{ text: sayNotification(words, { kind, ...first }), path }];
    }
    const { count = found.length } = first.facts;
    return [{ count: Number(count), text: words.notifications.kinds[kind], path }];
  });
  return items.flat();
}

/** The conditions of which there may be many. */
const COUNTED_KINDS: ReadonlySet<ConditionKind> = new Set(
  [
    "recount_differs",
    "endpoint_down",
    "credential_ending",
    "credential_requested",
    "count_differs",
    "document_ending",
  ],
);
