import { type Database, mapConcurrently } from "@sabika/database";
import { listApprovalsFor } from "@sabika/office/acts";
import { CREDENTIALS, DOCUMENTS } from "@sabika/office/reads";
import { readPart } from "@sabika/office/run-reads";
import { listWithdrawalsToPay } from "@sabika/service/bank";
import { readEndpointStates } from "@sabika/service/delivery";
import { listRecounts } from "@sabika/service/ledger";
import { listOpenDifferences } from "@sabika/service/vault";
import { type ActName, mayDo } from "@sabika/terms";
import type { Call } from "../call.ts";
import { fill } from "../languages/fill.ts";
import { duration } from "../languages/languages.ts";

/** Requests, and withdrawals of a cell, are counted up to this. */
export const COUNTED = 1_000;
/** Books are recounted daily; one that is this old was missed. */
const RECOUNT_AGE_MS = 2 * 86_400_000;

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
export async function readTroubles(call: Call, databases: readonly Database[]): Promise<Item[]> {
  const { database: { sql }, language, now, office, prices, viewer, words: { overview } } = call;
  const may = (act: ActName) => mayDo(viewer.roles, act);
  const nowMs = now();
  const [endpoints, ending, recounts, uncounted, due] = await Promise.all([
    mapConcurrently(databases, (cell) => readEndpointStates(cell.sql, nowMs)),
    may("credential.read")
      ? readPart(
        CREDENTIALS,
        office.readContext(viewer),
        { filter: { state: "ending" } },
        "usable cells",
      )
      : undefined,
    may("books.read") ? listRecounts(sql, 1) : undefined,
    may("vault.read") ? listOpenDifferences(sql) : [],
    readPart(DOCUMENTS, office.readContext(viewer), { filter: { state: "due" } }, "usable cells"),
  ]);
  const down = endpoints.flat().filter(({ status }) => status !== "healthy").length;
  const [last] = recounts ?? [];
  const differ = last?.differenceCount ?? 0;
  const age = last && nowMs - last.finishedAtMs;
  return [
    ...prices.latest(nowMs).ok ? [] : [{ text: overview.noPriceNow, path: "/prices" }],
    ...differ === 0 ? [] : [{ count: differ, text: overview.differences, path: "/books" }],
    ...recounts === undefined || age !== undefined && age < RECOUNT_AGE_MS ? [] : [{
      text: age === undefined
        ? overview.neverRecounted
        : fill(overview.recounted, { time: duration(language, age / 1_000) }),
      path: "/books",
    }],
    ...uncounted.length === 0
      ? []
      : [{ count: uncounted.length, text: overview.countsDiffer, path: "/counts/differences" }],
    ...down === 0
      ? []
      : [{ count: down, text: overview.endpointsDown, path: "/endpoints?status=down" }],
    ...due === undefined || due.data.length === 0
      ? []
      : [{ count: due.data.length, text: overview.documentsDue, path: "/documents?state=due" }],
    ...ending === undefined || ending.data.length === 0 ? [] : [{
      count: ending.data.length,
      text: overview.expiring,
      path: "/credentials?state=ending",
    }],
  ];
}
