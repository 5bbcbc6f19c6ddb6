import type { Database } from "@sabika/database";
import { readAuditHead } from "@sabika/service/audit";
import { readOpenActs } from "@sabika/service/booking";
import type { EndpointState } from "@sabika/service/delivery";
import type { BalanceRound } from "@sabika/service/ledger";
import { listOpenMoves } from "@sabika/service/moving";
import { countNoncePartitions } from "@sabika/service/nonces";
import { type CredentialEntry, listCredentials } from "@sabika/service/partners";
import { inTime, type OtherCells, PATIENCE_MS, readCell, readCellFigures } from "./cell_figures.ts";

/** The metrics that are read from the databases. */
export interface DatabaseFigures {
  /** When they were read, epoch milliseconds. */
  readonly nowMs: number;
  /** The states of the webhook endpoints of partners that have one. */
  readonly endpoints: readonly EndpointState[];
  readonly noncePartitions: number;
  readonly balances: BalanceRound;
  /** How long the oldest order waits for its receipt; 0 while none does. */
  readonly receiptLagSeconds: number;
  /** How many acts have ever broken the glass. */
  readonly breakGlasses: number;
  /** When the last credential of each kind ends, by partner. */
  readonly credentials: readonly { clientId: string; kind: string; daysLeft: number }[];
  /** The cells other than control's own: whether they answer, and the age of their oldest open act. */
  readonly cells: readonly { cellId: string; isUp: boolean; openActsSeconds: number }[];
  /** The moves of partners that have not ended. */
  readonly moves: readonly { clientId: string; step: string; openSeconds: number }[];
}

const DAY_MS = 86_400_000;

/**
 * Reads the metrics from the databases for one scrape; undefined when control does not answer in time.
 *
 * @param otherCells none by default
 * @param patienceMs how long to wait for control; 2,000 by default
 */
export async function readDatabaseFigures(
  { sql }: Database,
  nowMs: number,
  otherCells: OtherCells = NONE,
  patienceMs: number = PATIENCE_MS,
): Promise<DatabaseFigures | undefined> {
  const [control, cells] = await Promise.all([
    inTime(
      Promise.all([
        readCell(sql, nowMs),
        countNoncePartitions(sql),
        readAuditHead(sql),
        listCredentials(sql, nowMs),
        otherCells.cellIds.length === 0 ? new Map<string, number>() : readOpenActs(sql),
        listOpenMoves(sql),
      ]),
      patienceMs,
    ),
    readCellFigures(otherCells, nowMs),
  ]);
  if (control === undefined) return undefined;
  const [own, noncePartitions, { breakGlasses }, credentials, openActs, moves] = control;
  const known = [own, ...cells.flatMap(({ known }) => known ?? [])];
  return {
    nowMs,
    noncePartitions,
    breakGlasses,
    endpoints: known.flatMap((cell) => cell.endpoints),
    balances: joined(known.map((cell) => cell.balances)),
    receiptLagSeconds: Math.max(
      ...known.map(({ receiptSinceMs = nowMs }) => Math.max(0, nowMs - receiptSinceMs) / 1000),
    ),
    credentials: lastOfEachKind(credentials, nowMs),
    cells: cells.map(({ cellId, known }) => ({
      cellId,
      isUp: known !== undefined,
      openActsSeconds: openActs.get(cellId) ?? 0,
    })),
    moves: moves.map(({ clientId, step, begunAt }) => ({
      clientId,
      step,
      openSeconds: Math.max(0, nowMs - begunAt) / 1_000,
    })),
  };
}

const NONE = { cellIds: [], cells: new Map<string, Database>() };

/** Combines the rounds of several cells: the age is that of the oldest, or undefined if one is. */
function joined(rounds: readonly BalanceRound[]): BalanceRound {
  const ages = rounds.map(({ ageSeconds }) => ageSeconds ?? Infinity);
  const oldest = Math.max(...ages);
  return {
    wrongBalances: rounds.reduce((sum, round) => sum + round.wrongBalances, 0),
    ageSeconds: oldest === Infinity ? undefined : oldest,
  };
}

/** The end of each partner's last credential of each kind; credentials without an end are left out. */
function lastOfEachKind(
  credentials: readonly CredentialEntry[],
  nowMs: number,
): DatabaseFigures["credentials"] {
  const last = new Map<string, { clientId: string; kind: string; untilMs: number }>();
  for (const { clientId, kind, validUntilMs, state } of credentials) {
    if (state !== "active") continue;
    const key = `${kind} ${clientId}`;
    const untilMs = Math.max(validUntilMs ?? Infinity, last.get(key)?.untilMs ?? -Infinity);
    last.set(key, { clientId, kind, untilMs });
  }
  return [...last.values()].filter(({ untilMs }) => untilMs !== Infinity)
    .map(({ clientId, kind, untilMs }) => ({
      clientId,
      kind,
      daysLeft: (untilMs - nowMs) / DAY_MS,
    }));
}
