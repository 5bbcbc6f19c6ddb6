import type { Database } from "@sabika/database";
import { readAuditHead } from "@sabika/service/audit";
import { readOpenActs } from "@sabika/service/booking";
import { type EndpointState, readEndpointStates } from "@sabika/service/delivery";
import { type BalanceRound, readBalanceRound } from "@sabika/service/ledger";
import { countNoncePartitions } from "@sabika/service/nonces";
import { type CredentialEntry, listCredentials } from "@sabika/service/partners";
import { readCellFigures } from "./cell_figures.ts";

/** What only the database knows. */
export interface DatabaseFigures {
  /** When they were read, epoch milliseconds. */
  readonly nowMs: number;
  /** How the webhook endpoints stand, of partners that have one. */
  readonly endpoints: readonly EndpointState[];
  readonly noncePartitions: number;
  readonly balances: BalanceRound;
  /** How often somebody acted without a person, ever. */
  readonly breakGlasses: number;
  /** When the last credential of each kind ends, by partner. */
  readonly credentials: readonly { clientId: string; kind: string; daysLeft: number }[];
  /** The cells beside control's own: whether they answer, and how long their oldest open act waits. */
  readonly cells: readonly { cellId: string; isUp: boolean; openActsSeconds: number }[];
}

const DAY_MS = 86_400_000;

/**
 * Reads what only the databases know, for one scrape; undefined when control does not answer.
 *
 * @param beside the cells that the settings name, and those of them that can be used now
 */
export async function readDatabaseFigures(
  { sql }: Database,
  nowMs: number,
  beside: Omit<Parameters<typeof readCellFigures>[0], "nowMs"> = NONE,
): Promise<DatabaseFigures | undefined> {
  try {
    const [endpoints, noncePartitions, balances, { breakGlasses }, credentials, cells, openActs] =
      await Promise.all([
        readEndpointStates(sql, nowMs),
        countNoncePartitions(sql),
        readBalanceRound(sql),
        readAuditHead(sql),
        listCredentials(sql, nowMs),
        readCellFigures({ ...beside, nowMs }),
        beside.cellIds.length === 0 ? new Map<string, number>() : readOpenActs(sql),
      ]);
    const known = cells.flatMap(({ known }) => known ?? []);
    return {
      nowMs,
      noncePartitions,
      breakGlasses,
      endpoints: [...endpoints, ...known.flatMap((cell) => cell.endpoints)],
      balances: joined([balances, ...known.map((cell) => cell.balances)]),
      credentials: lastOfEachKind(credentials, nowMs),
      cells: cells.map(({ cellId, known }) => ({
        cellId,
        isUp: known !== undefined,
        openActsSeconds: openActs.get(cellId) ?? 0,
      })),
    };
  } catch {
    return undefined;
  }
}

const NONE = { cellIds: [], cells: new Map<string, Database>() };

/** The rounds of several cells as one: as old as the oldest, and unknown while one is. */
function joined(rounds: readonly BalanceRound[]): BalanceRound {
  const ages = rounds.map(({ ageSeconds }) => ageSeconds ?? Infinity);
  const oldest = Math.max(...ages);
  return {
    wrongBalances: rounds.reduce((sum, round) => sum + round.wrongBalances, 0),
    ageSeconds: oldest === Infinity ? undefined : oldest,
  };
}

/** A kind of credential ends for a partner when its last one does; those without an end never do. */
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
