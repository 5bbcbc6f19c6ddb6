import type { Database } from "../store/database.ts";

/** Something that does not agree with something else; there should never be one. */
export interface Difference {
  /** What was compared. */
  check:
    | "balance"
    | "numbers"
    | "events"
    | "orders"
    | "terms"
    | "fundings"
    | "withdrawals"
    | "sum"
    | "vault";
  /** Null when it concerns no single partner. */
  partnerId: number | null;
  /** Of what: an account, an asset, a table. */
  subject: string;
  expected: bigint;
  actual: bigint;
}

interface Row {
  check: Difference["check"];
  partner_id: number | null;
  subject: string;
  expected: bigint;
  actual: bigint;
}

/**
 * Recounts the whole ledger in one snapshot (invariants I1 to I4, I14; fault F26):
 * - each balance is the sum of its transfers, and each asset sums to zero;
 * - transfers and events are numbered without gaps;
 * - each order has its two transfers, the right way round, its event, and the terms of its quote;
 * - each funding has its transfer, each withdrawal those of its status, and what is held for
 *   withdrawals is what is on its way;
 * - the vault's figures are its bars and promises, and the bars cover the promises.
 *
 * @param of one partner only; left out = all, and the vault
 * @returns what differs; empty when all is well
 */
export async function reconcile(
  { sql }: Database,
  of: { partnerId?: number } = {},
): Promise<Difference[]> {
  const one = of.partnerId ?? null;
  const rows = await sql.begin("isolation level repeatable read read only", (tx) =>
    tx<Row[]>`
      with a as materialized (
        select * from accounts where ${one}::integer is null or partner_id = ${one}::integer
      ), t as materialized (
        select * from transfers where ${one}::integer is null or partner_id = ${one}::integer
      ), moved as materialized (
        select partner_id, asset, account, sum(amount)::bigint as balance from (
          select partner_id, asset, credit_account as account, amount from t
          union all select partner_id, asset, debit_account, -amount from t
        ) legs group by 1, 2, 3
      ), balances as (
        select a.partner_id, b.asset, b.account, b.balance from a, lateral (values
          ('SAR', 'cash', cash_halalas), ('SAR', 'house_cash', house_cash_halalas),
          ('SAR', 'withdrawals', withdrawals_halalas), ('SAR', 'bank', bank_halalas),
          ('XAU', 'gold', gold_micrograms), ('XAU', 'allocation', allocation_micrograms),
          ('XAU', 'vault', vault_micrograms)) as b (asset, account, balance)
      ), numbers as (
        select partner_id, count(*) as n, max(number) as last from t group by 1
      ), sent as (
        select partner_id, count(*) as n, max(sequence) as last from events
        where ${one}::integer is null or partner_id = ${one}::integer group by 1
      ), booked as (
        -- What the partner paid and got: negative for a sale.
        select partner_id, source_id, count(*) as n,
          sum(case when (asset, debit_account, credit_account) = ('SAR', 'cash', 'house_cash')
              then amount
            when (asset, debit_account, credit_account) = ('SAR', 'house_cash', 'cash')
              then -amount end) as paid,
          sum(case when (asset, debit_account, credit_account) = ('XAU', 'allocation', 'gold')
              then amount
            when (asset, debit_account, credit_account) = ('XAU', 'gold', 'allocation')
              then -amount end) as got
        from t where source_kind = 'order' group by 1, 2
      ), banked as (
        select partner_id, source_id, count(*) as n,
          sum(amount) filter (where (source_kind, debit_account, credit_account)
            = ('funding', 'bank', 'cash')) as funded,
          sum(amount) filter (where (source_kind, debit_account, credit_account)
            = ('withdrawal', 'cash', 'withdrawals')) as held,
          sum(amount) filter (where (source_kind, debit_account, credit_account)
            = ('withdrawal_payout', 'withdrawals', 'bank')) as paid,
          sum(amount) filter (where (source_kind, debit_account, credit_account)
            = ('withdrawal_return', 'withdrawals', 'cash')) as returned
        from t where source_kind in
          ('funding', 'withdrawal', 'withdrawal_payout', 'withdrawal_return') group by 1, 2
      ), o as materialized (
        select * from orders where ${one}::integer is null or partner_id = ${one}::integer
      )
      select 'balance' as check, partner_id, account as subject,
        coalesce(m.balance, 0)::bigint as expected, coalesce(b.balance, 0)::bigint as actual
      from balances b full join moved m using (partner_id, asset, account)
      where coalesce(m.balance, 0) <> coalesce(b.balance, 0)
      union all
      select 'sum', null, asset, 0, sum(balance)::bigint from balances
      group by asset having sum(balance) <> 0
      union all
      select 'numbers', a.partner_id, 'transfers', a.last_transfer, coalesce(n.n, 0)
      from a left join numbers n using (partner_id)
      where a.last_transfer <> coalesce(n.n, 0) or a.last_transfer <> coalesce(n.last, 0)
      union all
      select 'numbers', a.partner_id, 'events', a.last_event, coalesce(s.n, 0)
      from a left join sent s using (partner_id)
      where a.last_event <> coalesce(s.n, 0) or a.last_event <> coalesce(s.last, 0)
      union all
      select 'orders', o.partner_id, o.order_id::text, o.total_halalas,
        coalesce(abs(b.paid), 0)::bigint
      from (select o.*, case side when 'buy' then 1 else -1 end as sign from o) o
      left join booked b on b.partner_id = o.partner_id and b.source_id = o.order_id
      where b.n is distinct from 2 or b.paid is distinct from sign * o.total_halalas
        or b.got is distinct from sign * o.gold_micrograms
      union all
      select 'fundings', f.partner_id, f.funding_id::text, f.amount_halalas,
        coalesce(b.funded, 0)::bigint
      from fundings f
      left join banked b on b.partner_id = f.partner_id and b.source_id = f.funding_id
      where (${one}::integer is null or f.partner_id = ${one}::integer)
        and (b.n, b.funded) is distinct from (1, f.amount_halalas)
      union all
      select 'withdrawals', w.partner_id, w.withdrawal_id::text, w.amount_halalas,
        coalesce(b.held, 0)::bigint
      from withdrawals w
      left join banked b on b.partner_id = w.partner_id and b.source_id = w.withdrawal_id
      where (${one}::integer is null or w.partner_id = ${one}::integer)
        and (b.held, b.paid, b.returned, b.n) is distinct from (w.amount_halalas,
          case when w.status = 'completed' then w.amount_halalas end,
          case when w.status in ('failed', 'cancelled') then w.amount_halalas end,
          case when w.status in ('pending', 'processing') then 1 else 2 end)
      union all
      select 'terms', o.partner_id, o.order_id::text, q.total_halalas, o.total_halalas
      from o left join quotes q on q.partner_id = o.partner_id and q.quote_id = o.quote_id
      where (q.side, q.gold_micrograms, q.price_ten_thousandths, q.fee_halalas, q.vat_halalas,
          q.total_halalas)
        is distinct from (o.side, o.gold_micrograms, o.price_ten_thousandths, o.fee_halalas,
          o.vat_halalas, o.total_halalas)
      union all
      select 'events', o.partner_id, 'order.executed', o.n, coalesce(e.n, 0)
      from (select partner_id, count(*) as n from o group by 1) o
      left join (select partner_id, count(distinct resource_id) as n from events
        where type = 'order.executed' group by 1) e using (partner_id)
      where o.n <> coalesce(e.n, 0)
      union all
      select 'withdrawals', a.partner_id, 'held', coalesce(w.held, 0)::bigint,
        a.withdrawals_halalas
      from a left join (select partner_id, sum(amount_halalas) as held from withdrawals
        where status in ('pending', 'processing') group by 1) w using (partner_id)
      where a.withdrawals_halalas <> coalesce(w.held, 0)
      union all
      select 'vault', null, 'bars', b.weight, v.bars_micrograms from vault v,
        (select coalesce(sum(weight_micrograms), 0)::bigint as weight from vault_bars
          where removed_at is null) b
      where ${one}::integer is null and v.bars_micrograms <> b.weight
      union all
      select 'vault', null, 'promises', p.promised, v.allocated_micrograms from vault v,
        (select coalesce(sum(gold_micrograms + allocation_micrograms), 0)::bigint as promised
          from accounts) p
      where ${one}::integer is null
        and (v.allocated_micrograms <> p.promised or p.promised > v.bars_micrograms)`);
  return rows.map((row) => ({
    check: row.check,
    partnerId: row.partner_id,
    subject: row.subject,
    expected: row.expected,
    actual: row.actual,
  }));
}
