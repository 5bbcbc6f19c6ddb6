import { listCredentials } from "@sabika/core/partners";
import type { Database } from "@sabika/core/store";
import type { DatabaseFigures } from "./metrics.ts";

const DAY_MS = 86_400_000;

/** Reads what only the database knows, for one scrape; undefined when it does not answer. */
export async function readDatabaseFigures(
  { sql }: Database,
  nowMs: number,
): Promise<DatabaseFigures | undefined> {
  try {
    const [[outbox], [lanes], [nonces], [balances], credentials] = await Promise.all([
      sql<{ pending: number; lag: number }[]>`
        select coalesce(sum(a.last_event - l.next_sequence + 1), 0)::float8 as pending,
          coalesce(max(extract(epoch from clock_timestamp() - e.created_at)), 0)::float8 as lag
        from webhook_lanes l
          join partners p on p.partner_id = l.partner_id
          join accounts a on a.partner_id = l.partner_id
          left join events e on e.partner_id = l.partner_id and e.sequence = l.next_sequence
        where p.webhook_url is not null and l.disabled_at is null
          and l.next_sequence <= a.last_event`,
      sql<{ disabled: number }[]>`
        select count(*)::int as disabled from webhook_lanes where disabled_at is not null`,
      sql<{ partitions: number }[]>`
        select count(*)::int as partitions from pg_inherits where inhparent = 'nonces'::regclass`,
      sql<{ wrong: number; age: number | null }[]>`
        select (select count(*)::int from balance_checkpoints where differs_since is not null)
            as wrong,
          extract(epoch from clock_timestamp() - finished_at)::float8 as age
        from balance_round`,
      listCredentials(sql, nowMs),
    ]);
    return {
      outboxPending: outbox!.pending,
      outboxLagSeconds: Math.max(0, outbox!.lag),
      disabledEndpoints: lanes!.disabled,
      noncePartitions: nonces!.partitions,
      wrongBalances: balances!.wrong,
      balancesAgeSeconds: balances!.age ?? undefined,
      credentials: lastOfEachKind(credentials, nowMs),
    };
  } catch {
    return undefined;
  }
}

/** A kind of credential ends for a partner when its last one does; those without an end never do. */
function lastOfEachKind(
  credentials: Awaited<ReturnType<typeof listCredentials>>,
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
