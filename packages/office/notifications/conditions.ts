import { mapConcurrently, type Sql } from "@sabika/database";
import { type AttestationRole, formatMicrograms, formatTime } from "@sabika/protocol";
import { listAskedCredentials } from "@sabika/service/credentials";
import { readEndpointStates } from "@sabika/service/delivery";
import { listRecounts } from "@sabika/service/ledger";
import type { ConditionKind, NotificationFacts } from "@sabika/service/notifications";
import { listEndingCredentials } from "@sabika/service/partners";
import type { PriceSource } from "@sabika/service/prices";
import { listReserves } from "@sabika/service/reserves";
import {
  listLastCounts,
  listOpenDifferences,
  readAttestationKeys,
  readFreeMicrograms,
} from "@sabika/service/vault";
import { riyadhDayStart } from "@sabika/terms";
import { listDocuments } from "../partners/documents.ts";

/** Where conditions are looked for. */
export interface ConditionPlace {
  /** Control's. */
  readonly sql: Sql;
  /** The databases of the cells that answer, control's own among them. */
  readonly cells: readonly Sql[];
  readonly prices: Pick<PriceSource, "latest">;
  /** Less free gold in the vault than this is little. */
  readonly reserveLowMicrograms: bigint;
  /** Epoch milliseconds. */
  readonly nowMs: number;
}

/** One thing that is wrong, or will be soon. */
export interface Condition {
  /** The same while it lasts: an id. */
  readonly subject: string;
  readonly facts: NotificationFacts;
}

/** Books are recounted daily; one that is this old was missed. */
const RECOUNT_AGE_MS = 2 * 86_400_000;
/** An inspector signs within a day. */
const UNSIGNED_AGE_MS = 86_400_000;
/** An auditor attests a day within the one after it. */
const UNATTESTED_AGE_MS = 2 * 86_400_000;
/** Of so many days at the most it is said that they are unattested. */
const RESERVE_DAYS = 31;

/**
 * What needs a look, by kind (Decision D98): what people are told of, and what the page Today shows. The act in
 * `NOTIFICATION_KINDS` says whom it concerns.
 */
export const CONDITIONS: Readonly<
  Record<ConditionKind, (place: ConditionPlace) => Promise<readonly Condition[]>>
> = {
  async price_stale({ prices, nowMs }) {
    return prices.latest(nowMs).ok ? [] : [{ subject: "price", facts: {} }];
  },

  async recount_differs({ sql }) {
    const [last] = await listRecounts(sql, 1);
    if (last === undefined || last.differenceCount === 0) return [];
    const at = formatTime(last.finishedAtMs);
    return [{ subject: at, facts: { count: last.differenceCount } }];
  },

  async recount_missing({ sql, nowMs }) {
    const [last] = await listRecounts(sql, 1);
    if (last !== undefined && nowMs - last.finishedAtMs < RECOUNT_AGE_MS) return [];
    const last_at = last === undefined ? null : formatTime(last.finishedAtMs);
    return [{ subject: "books", facts: { last_at } }];
  },

  async endpoint_down({ cells, nowMs }) {
    const endpoints = await mapConcurrently(cells, (cell) => readEndpointStates(cell, nowMs));
    return endpoints.flat().flatMap(({ status, clientId, sinceMs }) =>
      status === "healthy" ? [] : [{
        subject: clientId,
        facts: { partner: clientId, since_at: sinceMs === null ? null : formatTime(sinceMs) },
      }]
    );
  },

  async credential_ending({ sql, nowMs }) {
    const ending = await listEndingCredentials(sql, nowMs);
    return ending.map(({ clientId, kind, credentialId, validUntilMs }) => ({
      subject: `${kind} ${credentialId}`,
      facts: { partner: clientId, credential: kind, until_at: formatTime(validUntilMs!) },
    }));
  },

  async credential_requested({ sql }) {
    const pending = await listAskedCredentials(sql, "pending");
    return pending.map(({ id, clientId, kind }) => ({
      subject: id,
      facts: { partner: clientId, credential: kind },
    }));
  },

  async reserve_low({ sql, reserveLowMicrograms }) {
    const free = await readFreeMicrograms(sql);
    return free >= reserveLowMicrograms ? [] : [{
      subject: "vault",
      facts: {
        free_grams: formatMicrograms(free),
        least_grams: formatMicrograms(reserveLowMicrograms),
      },
    }];
  },

  async count_differs({ sql }) {
    const open = await listOpenDifferences(sql);
    return open.map(({ serial, finding, countId }) => ({
      subject: `${countId} ${serial}`,
      facts: { serial, finding },
    }));
  },

  async count_unsigned({ sql, nowMs }) {
    if (!await signs(sql, "inspector")) return [];
    const counts = await listLastCounts(sql, nowMs);
    return counts.flatMap(({ poolId, countId, countedAtMs, inspectedBy }) =>
      inspectedBy !== null || nowMs - countedAtMs < UNSIGNED_AGE_MS ? [] : [{
        subject: `${poolId} ${countId}`,
        facts: { pool: poolId, counted_at: formatTime(countedAtMs) },
      }]
    );
  },

  async reserve_unattested({ sql, nowMs }) {
    if (!await signs(sql, "auditor")) return [];
    const reserves = await listReserves(sql, { limit: RESERVE_DAYS, beforeDay: undefined });
    return reserves.flatMap(({ day, isAttested }) =>
      isAttested || nowMs - riyadhDayStart(day)! < UNATTESTED_AGE_MS
        ? []
        : [{ subject: day, facts: { day } }]
    );
  },

  async document_ending({ sql, nowMs }) {
    const documents = await listDocuments(sql, nowMs);
    return documents.flatMap(({ clientId, reference, state, validUntil }) =>
      state === "valid" ? [] : [{
        subject: `${clientId} ${reference}`,
        facts: { partner: clientId, reference, valid_until: validUntil },
      }]
    );
  },
};

/** Whether somebody from outside has a key to sign with; where nobody has, nobody is waited for. */
async function signs(sql: Sql, role: AttestationRole): Promise<boolean> {
  const keys = await readAttestationKeys(sql);
  return keys.some((key) => key.role === role && key.validUntilMs === null);
}
