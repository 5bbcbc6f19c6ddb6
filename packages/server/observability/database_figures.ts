import { readAuditHead } from "@sabika/core/admin";
import { type BalanceRound, readBalanceRound } from "@sabika/core/ledger";
import { type CredentialEntry, listCredentials } from "@sabika/core/partners";
import type { Database } from "@sabika/core/store";
import { countNoncePartitions } from "@sabika/core/trading";
import { type EndpointState, readEndpointStates } from "@sabika/core/webhooks";

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
}

const DAY_MS = 86_400_000;

/** Reads what only the database knows, for one scrape; undefined when it does not answer. */
export async function readDatabaseFigures(
  { sql }: Database,
  nowMs: number,
): Promise<DatabaseFigures | undefined> {
  try {
    const [endpoints, noncePartitions, balances, { breakGlasses }, credentials] = await Promise.all(
      [
        readEndpointStates(sql, nowMs),
        countNoncePartitions(sql),
        readBalanceRound(sql),
        readAuditHead(sql),
        listCredentials(sql, nowMs),
      ],
    );
    return {
      ...{ nowMs, endpoints, noncePartitions, balances, breakGlasses },
      credentials: lastOfEachKind(credentials, nowMs),
    };
  } catch {
    return undefined;
  }
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
