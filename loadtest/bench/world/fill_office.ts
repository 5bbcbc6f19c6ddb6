import type { Sql } from "@sabika/database";

/** A UUIDv7 of a time, in SQL, whose other bits are from the hash of a text. */
const idAt = (at: string, text: string) =>
  `(lpad(to_hex((extract(epoch from ${at}) * 1000)::bigint), 12, '0') || '7' || substr(md5(${text}), 1, 3) || '8' ||
    substr(md5(${text}), 4, 15))::uuid`;
/** Whole seconds that lie evenly in the last `days`, of the `n`th of `count`. */
const spread = (days: number, n: string, count: string) =>
  `date_trunc('second', now() - interval '${days} days' * (1 - ${n}::float8 / ${count}))`;

/** A partner by turns. */
const NTH_PARTNER = "(select min(partner_id) + n % count(*) from partners)";

/** Payments of each partner: at least 30, one for 200 orders, of the last 30 days; every 500th waits. */
const PAYMENTS = [
  `create temporary table payments on commit drop as
    select partner_id, n, ${spread(30, "n", "count")} as at,
      (100000 + hashint8(n * 31 + partner_id) % 50000)::bigint * 100 + n % 100 as amount
    from accounts, lateral (select greatest(30, last_event / 200) as count) c, generate_series(1, count) n`,
  `insert into fundings (partner_id, funding_id, amount_halalas, cash_after_halalas, created_at, reference)
    select partner_id, ${
    idAt("at", "'funding' || n || ' ' || partner_id")
  }, amount, 1000000000000000, at,
      'FT' || partner_id || '-' || n from payments`,
  `insert into withdrawals (partner_id, withdrawal_id, amount_halalas, created_at, completed_at, status, iban,
      client_reference)
    select partner_id, ${idAt("at", "'withdrawal' || n || ' ' || partner_id")}, amount, at,
      case when n % 500 <> 29 then at + interval '1 hour' end,
      case when n % 500 = 29 then 'pending' when n % 97 = 0 then 'failed' else 'completed' end,
      'SA' || lpad((hashint4(partner_id) & 2147483647)::text, 22, '0'), 'PAY-' || partner_id || '-' || n
    from payments`,
  `insert into idempotency_keys (partner_id, key_hash, fingerprint, resource_id, created_at, resource_kind)
    select partner_id, decode(md5('withdrawal' || withdrawal_id), 'hex'), decode(md5(''), 'hex'), withdrawal_id,
      created_at, 'withdrawal' from withdrawals`,
];

/**
 * Deliveries: each event of the last week has an attempt, one in 50 had two, and a few failed for good. Every tenth
 * partner's endpoint fails, with up to 20,000 events waiting.
 */
const DELIVERIES = [
  `select ensure_attempt_partition(d::date) from generate_series(now() - interval '8 days', now() + interval '1 day',
    '1 day') d`,
  `update partners set webhook_url = 'https://hooks.bank.example/' || client_id`,
  `update webhook_lanes l set next_sequence = greatest(1, last_event + 1
      - case when l.partner_id % 10 = 0 then least(20000, last_event / 2) else 0 end),
    failing_since = case when l.partner_id % 10 = 0 then now() - interval '3 hours' end
    from accounts a where a.partner_id = l.partner_id`,
  `create temporary table attempted on commit drop as
    select e.partner_id, e.sequence, created_at as at from events e join webhook_lanes l using (partner_id)
    where e.created_at > now() - interval '7 days' and e.sequence < l.next_sequence`,
  `insert into webhook_attempts select partner_id, sequence, at + interval '40 ms', 40, 200, null, '192.0.2.1'
    from attempted`,
  `insert into webhook_attempts select partner_id, sequence, at + interval '5 s', 3000, null, 'timeout', '192.0.2.1'
    from attempted where sequence % 50 = 0`,
  `insert into event_deliveries (partner_id, sequence, state, attempts, next_attempt_at, last_attempt_at, last_status)
    select partner_id, sequence, state, 2, case state when 'failing' then now() + interval '1 hour' end,
      at + interval '5 s', case state when 'delivered' then 200 else 503 end
    from attempted, lateral (select case when sequence % 5000 = 0 then 'exhausted'
      when sequence % 7000 = 0 then 'failing' else 'delivered' end as state) s where sequence % 50 = 0`,
];

/** Prices: one in ten seconds of the last 30 days, their minutes of a year and their hours of two. */
const PRICES = [
  `select ensure_price_partition((extract(epoch from d) * 1000000)::bigint)
    from generate_series(now() - interval '30 days', now(), '1 day') d`,
  `insert into prices (price_number, mid_ten_thousandths, as_of, arrived_at, source)
    select (extract(epoch from at) * 1000000)::bigint, 4825870 + n % 5000, at, at, 'fixed'
    from generate_series(now() - interval '30 days', now() - interval '1 minute', interval '10 seconds')
      with ordinality t (at, n)`,
  ...[["price_minutes", "minute", 365], ["price_hours", "hour", 730]].map(([table, unit, days]) =>
    `insert into ${table} select date_trunc('${unit}', at), 4825870 - n % 900, 4825870 + n % 900, 4825870, 4825870,
      30, n from generate_series(now() - interval '${days} days', now() - interval '1 ${unit}', '1 ${unit}')
      with ordinality t (at, n) on conflict do nothing`
  ),
];

/**
 * The office's own: 50,000 audit entries of which 10,000 are signed acts and 5,000 were approved by a second person,
 * 100 requests that wait, credentials that ended, contacts, documents, bars in ten places with counts, and recounts.
 */
const OFFICE = [
  `insert into operators (name) select 'person-' || n from generate_series(1, 20) n`,
  `insert into operator_keys (key_id, operator_id, public_jwk, valid_from)
    select 'key-' || operator_id, operator_id, '{}', now() - interval '1 year' from operators where name like 'person-%'`,
  `create temporary table asked on commit drop as
    select n, ${idAt("at", "'act' || n")} as id, ${
    idAt("at", "'decision' || n")
  } as decision, at, partner_id, client_id,
      o.operator_id, lead.operator_id as decider, o.name
    from generate_series(1, 5100) n cross join lateral (select ${
    spread(365, "n", "5100")
  } as at offset 0) t
      join partners on partner_id = ${NTH_PARTNER}
      join operators o on o.name = 'person-' || 1 + n % 10 join operators lead on lead.name = 'person-' || 11 + n % 10`,
  `insert into acts (act_id, name, arguments, signed_at, operator_id, key_id, signature)
    select id, 'partner.update', json_build_object('partner', client_id, 'spread_percent', '0.6')::text, at, operator_id,
      'key-' || operator_id, 'none' from asked
    union all select decision, 'approval.approve', json_build_object('request', id)::text, at, decider, 'key-' || decider,
      'none' from asked where n <= 5000`,
  `insert into approvals (request_id, requester_id, requested_from, requested_at, expires_at, facts, state, decision_id,
      decider_id, decided_at)
    select id, operator_id, 'console', at, at + interval '1 year 1 hour', '[]', case when n <= 5000 then 'done' else 'waiting' end,
      case when n <= 5000 then decision end, case when n <= 5000 then decider end, case when n <= 5000 then at end
    from asked`,
  `insert into audit_log (at, actor, action, partner_id, detail)
    select at, name, action, partner_id, json_build_object('from', 'console', 'act', act)::text
    from asked, lateral (values ('partner.update', id), ('approval.approve', decision)) a (action, act) where n <= 5000`,
  `insert into audit_log (at, actor, action, partner_id, detail)
    select ${spread(365, "n", "40000")}, 'server', 'partner.credential.warn', ${NTH_PARTNER},
      '{"from": "service"}' from generate_series(1, 40000) n`,
  `insert into client_secrets select partner_id, gen_random_uuid(), sha256(n::text::bytea),
      now() - interval '30 days' * n, now() - interval '30 days' * (n - 1) from partners, generate_series(1, 20) n`,
  `insert into partner_contacts select partner_id, 'Person ' || n, 'Treasury', '+966 11 555 0100', null
    from partners, generate_series(1, 3) n`,
  `insert into partner_documents select partner_id, 'DOC-' || n, 'contract', encode(sha256('x'), 'hex'), '2025-01-01',
      current_date + n * 40 - 60 from partners, generate_series(1, 6) n`,
  `insert into vault_bars (serial, refiner, fineness_ten_thousandths, weight_micrograms, added_at, place, document)
    select 'S-' || n, 'Emirates Gold', 9999, 12441380700, ${
    spread(365, "n", "3000")
  }, 'room-' || n % 10, 'DOC-' || n
    from generate_series(1, 3000) n`,
  `insert into vault_counts select gen_random_uuid(), 'room-' || n % 10, ${
    spread(365, "n", "520")
  }, 'person-1'
    from generate_series(1, 520) n`,
  `insert into vault_count_lines (count_id, serial, refiner, fineness_ten_thousandths, weight_micrograms, is_seen)
    select count_id, serial, refiner, fineness_ten_thousandths, weight_micrograms,
      hashtext(serial || count_id) % 1000 <> 0 from vault_counts join vault_bars using (place)`,
  `insert into recount_results (finished_at, who, duration_ms, partners, difference_count, differences)
    select now() - interval '1 day' * n, 'server', 60000, 200, 0, '[]' from generate_series(0, 364) n`,
];

/**
 * Writes what pages of the console read besides trades, by set-based SQL: payments, deliveries, prices, and the office's
 * own acts, credentials, documents and counts. Payments have no transfers and entries no hash, because no page follows them.
 */
export async function fillOffice(sql: Sql): Promise<void> {
  for (const statements of [PAYMENTS, DELIVERIES, PRICES, OFFICE]) {
    await sql.begin(async (tx) => {
      await tx.unsafe("set local session_replication_role = replica");
      for (const statement of statements) await tx.unsafe(statement);
    });
  }
  await sql.unsafe("vacuum (analyze)");
}
