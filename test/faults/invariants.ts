import type { Database, Sql } from "@sabika/database";

/** A broken promise of the ledger; there must never be one. */
export interface Breach {
  /** I1 … I14 of the fault catalogue. */
  readonly invariant: string;
  readonly partner: number | null;
  readonly what: string;
}

const OF_THE_VAULT = "I1 all gold that partners have or may have is in the vault";

/** Queries by what they check. */
type Invariants = Readonly<Record<string, string>>;

/** What each invariant's query finds is a breach. Written apart from `reconcile`, on purpose. */
const QUERIES: Invariants = {
  "I1 every transfer moves one positive amount between two accounts of one asset": `
    select partner_id as partner, number::text as what from transfers
    where amount <= 0 or debit_account = credit_account
      or (asset = 'SAR') <> (debit_account in ('cash', 'house_cash', 'withdrawals', 'bank'))
      or (asset = 'SAR') <> (credit_account in ('cash', 'house_cash', 'withdrawals', 'bank'))`,
  "I1 a partner's accounts sum to zero": `
    select partner_id as partner, 'accounts' as what from accounts
    where cash_halalas + house_cash_halalas + withdrawals_halalas + bank_halalas <> 0
      or gold_micrograms + allocation_micrograms + vault_micrograms <> 0`,
  [OF_THE_VAULT]: `
    select null as partner, 'vault' as what from vault v
    where v.allocated_micrograms > v.bars_micrograms or v.allocated_micrograms <>
      (select coalesce(sum(gold_micrograms + allocation_micrograms), 0) from accounts)`,
  "I2 no balance is below zero": `
    select partner_id as partner, 'accounts' as what from accounts
    where least(cash_halalas, withdrawals_halalas, gold_micrograms, allocation_micrograms) < 0`,
  "I3 a balance is the sum of its transfers": `
    select a.partner_id as partner, b.name as what
    from accounts a cross join lateral (values
      ('cash', a.cash_halalas), ('house_cash', a.house_cash_halalas),
      ('withdrawals', a.withdrawals_halalas), ('bank', a.bank_halalas),
      ('gold', a.gold_micrograms), ('allocation', a.allocation_micrograms),
      ('vault', a.vault_micrograms)) as b (name, balance)
    left join (
      select partner_id, account, sum(amount) as balance from (
        select partner_id, credit_account as account, amount from transfers
        union all select partner_id, debit_account, -amount from transfers) t
      group by 1, 2
    ) moved on moved.partner_id = a.partner_id and moved.account = b.name
    where b.balance <> coalesce(moved.balance, 0)`,
  "I3 transfers are numbered without gaps": `
    select a.partner_id as partner, 'transfers' as what from accounts a
    left join (select partner_id, count(*) as n, max(number) as last from transfers group by 1) t
      using (partner_id)
    where a.last_transfer <> coalesce(t.n, 0) or a.last_transfer <> coalesce(t.last, 0)`,
  "I4 a quote has one order at most": `
    select partner_id as partner, quote_id::text as what from orders
    group by 1, 2 having count(*) > 1`,
  "I4 an order is two transfers, one of each asset, and one event": `
    select o.partner_id as partner, o.order_id::text as what from orders o
    left join (
      select partner_id, source_id, count(*) as n, count(distinct asset) as assets
      from transfers where source_kind = 'order' group by 1, 2
    ) t on t.partner_id = o.partner_id and t.source_id = o.order_id
    left join (
      select partner_id, resource_id, count(*) as n, count(distinct event_id) as ids
      from events where type = 'order.executed' group by 1, 2
    ) e on e.partner_id = o.partner_id and e.resource_id = o.order_id
    where (t.n, t.assets, e.n, e.ids) is distinct from (2, 2, 1, 1)`,
  "I4 a withdrawal is one hold and one event of its making": `
    select w.partner_id as partner, w.withdrawal_id::text as what from withdrawals w
    left join (
      select partner_id, source_id, count(*) as n from transfers
      where source_kind = 'withdrawal' and debit_account = 'cash' group by 1, 2
    ) t on t.partner_id = w.partner_id and t.source_id = w.withdrawal_id
    left join (
      select partner_id, resource_id, count(*) as n from events
      where type = 'withdrawal.created' group by 1, 2
    ) e on e.partner_id = w.partner_id and e.resource_id = w.withdrawal_id
    where (t.n, e.n) is distinct from (1, 1)`,
  "I4 a funding is one transfer and one event": `
    select f.partner_id as partner, f.funding_id::text as what from fundings f
    left join (
      select partner_id, source_id, count(*) as n from transfers
      where source_kind = 'funding' group by 1, 2
    ) t on t.partner_id = f.partner_id and t.source_id = f.funding_id
    left join (
      select partner_id, resource_id, count(*) as n from events group by 1, 2
    ) e on e.partner_id = f.partner_id and e.resource_id = f.funding_id
    where (t.n, e.n) is distinct from (1, 1)`,
  "I5 a key made one thing, and it is there": `
    select k.partner_id as partner, k.resource_kind || ' ' || k.resource_id as what
    from idempotency_keys k
    where (select count(*) from quotes q where k.resource_kind = 'quote'
        and (q.partner_id, q.quote_id) = (k.partner_id, k.resource_id))
      + (select count(*) from orders o where k.resource_kind = 'order'
        and (o.partner_id, o.order_id) = (k.partner_id, k.resource_id))
      + (select count(*) from withdrawals w where k.resource_kind = 'withdrawal'
        and (w.partner_id, w.withdrawal_id) = (k.partner_id, k.resource_id))
      + (select count(*) from fundings f where k.resource_kind = 'funding'
        and (f.partner_id, f.funding_id) = (k.partner_id, k.resource_id)) <> 1`,
  "I5 a thing was made under one key": `
    select made.partner_id as partner, made.kind || ' ' || made.id as what from (
      select partner_id, 'quote' as kind, quote_id as id, 1 as most from quotes
      union all select partner_id, 'order', order_id, 1 from orders
      -- A partner takes a withdrawal back under a key of its own.
      union all select partner_id, 'withdrawal', withdrawal_id,
        case status when 'cancelled' then 2 else 1 end from withdrawals
      union all select partner_id, 'funding', funding_id, 1 from fundings where reference is null
    ) made
    left join (select partner_id, resource_kind, resource_id, count(*) as n
      from idempotency_keys group by 1, 2, 3) k
      on (k.partner_id, k.resource_kind, k.resource_id) = (made.partner_id, made.kind, made.id)
    where coalesce(k.n, 0) not between 1 and made.most`,
  "I7 a nonce was spent once": `
    select partner_id as partner, encode(nonce_hash, 'hex') as what from nonces
    group by 1, nonce_hash having count(*) > 1`,
  "I10 no transfer or event without what it is of": `
    select t.partner_id as partner, t.source_kind || ' ' || t.source_id as what from transfers t
    where t.source_kind in ('order', 'funding', 'withdrawal') and not exists (
      select 1 from orders o where (o.partner_id, o.order_id) = (t.partner_id, t.source_id)
      union all select 1 from fundings f
        where (f.partner_id, f.funding_id) = (t.partner_id, t.source_id)
      union all select 1 from withdrawals w
        where (w.partner_id, w.withdrawal_id) = (t.partner_id, t.source_id))
    union all
    select e.partner_id, e.type || ' ' || e.resource_id from events e
    where e.type = 'order.executed' and not exists (select 1 from orders o
      where (o.partner_id, o.order_id) = (e.partner_id, e.resource_id))`,
  "I11 events are numbered without gaps, each with an id of its own": `
    select a.partner_id as partner, 'events' as what from accounts a
    left join (select partner_id, count(*) as n, max(sequence) as last,
        count(distinct event_id) as ids from events group by 1) e using (partner_id)
    where a.last_event <> coalesce(e.n, 0) or a.last_event <> coalesce(e.last, 0)
      or coalesce(e.ids, 0) <> coalesce(e.n, 0)`,
  "I12 no lane is leased or put off for longer than it can be": `
    select partner_id as partner, 'lane' as what from webhook_lanes
    where leased_until > clock_timestamp() + interval '10 seconds'
      or (attempts = 0 and next_attempt_at > clock_timestamp() + interval '5 seconds')`,
  "I14 an order has the terms of its quote, and moved just these": `
    select o.partner_id as partner, o.order_id::text as what from orders o
    left join quotes q on (q.partner_id, q.quote_id) = (o.partner_id, o.quote_id)
    left join transfers s on s.partner_id = o.partner_id and s.source_id = o.order_id
      and s.asset = 'SAR'
    left join transfers g on g.partner_id = o.partner_id and g.source_id = o.order_id
      and g.asset = 'XAU'
    where (o.side, o.gold_micrograms, o.price_ten_thousandths, o.fee_halalas, o.vat_halalas,
        o.total_halalas) is distinct from (q.side, q.gold_micrograms, q.price_ten_thousandths,
        q.fee_halalas, q.vat_halalas, q.total_halalas)
      or s.amount is distinct from o.total_halalas or g.amount is distinct from o.gold_micrograms
      or (s.debit_account, s.credit_account, g.debit_account, g.credit_account)
        is distinct from (
          case o.side when 'buy' then 'cash' else 'house_cash' end,
          case o.side when 'buy' then 'house_cash' else 'cash' end,
          case o.side when 'buy' then 'allocation' else 'gold' end,
          case o.side when 'buy' then 'gold' else 'allocation' end)`,
};

/**
 * The same for one database of a deployment with cells: of partners that are at home there, since one
 * that is being moved has a part of its rows in the other; and without the vault, which is control's.
 */
export const OF_ONE_CELL: Invariants = Object.fromEntries(
  Object.entries(QUERIES).filter(([invariant]) => invariant !== OF_THE_VAULT).map((
    [invariant, query],
  ) => [
    invariant,
    `select * from (${query}) found where partner in (select partner_id from accounts)`,
  ]),
);

/** Checks all invariants in one REPEATABLE READ snapshot; empty = all hold. */
export async function findBreaches(
  { sql }: { sql: Sql },
  invariants: Invariants = QUERIES,
): Promise<Breach[]> {
  return await sql.begin("isolation level repeatable read read only", async (tx) => {
    const found: Breach[] = [];
    for (const [invariant, query] of Object.entries(invariants)) {
      found.push(...await breachesOf(tx, invariant, query));
    }
    return found;
  });
}

async function breachesOf(
  sql: Pick<Sql, "unsafe">,
  invariant: string,
  query: string,
): Promise<Breach[]> {
  const rows = await sql.unsafe<{ partner: number | null; what: string }[]>(query);
  return rows.map((row) => ({ invariant, ...row }));
}

/** Of the time, a check takes a fifth at most, however much there is to be checked. */
const REST = 4;

/** A database that is watched, and what must hold in it; of a deployment with one alone if left out. */
interface Watched {
  readonly database: Pick<Database, "sql">;
  readonly invariants?: Invariants;
}

/**
 * Checks them in turn, again and again, while something else goes on. Each is one statement and so sees one
 * moment. Who cuts one off has not cut off the round: of a long history no round would ever end between two
 * faults.
 */
export function watchInvariants(watched: readonly Watched[], everyMs = 1_000) {
  const found: Breach[] = [];
  const all = watched.flatMap(({ database: { sql }, invariants = QUERIES }) =>
    Object.entries(invariants).map(([invariant, query]) => ({ sql, invariant, query }))
  );
  let due: typeof all = [];
  let rounds = 0;
  let isOver = false;
  let wake = () => {};
  const ended = (async () => {
    while (!isOver) {
      const startedMs = performance.now();
      if (due.length === 0) due = [...all];
      try {
        while (due.length > 0 && !isOver) {
          // Cut off, it comes last: it is not to keep the others from their turn.
          due.push(due.shift()!);
          const { sql, invariant, query } = due.at(-1)!;
          found.push(...await breachesOf(sql, invariant, query));
          due.pop();
        }
        if (due.length === 0) rounds += 1;
      } catch {
        // Away: that is what the test does to it.
      }
      await new Promise<void>((resolve) => {
        wake = resolve;
        setTimeout(resolve, Math.max(everyMs, REST * (performance.now() - startedMs)));
      });
    }
  })();
  return {
    /** How often all of them were checked. */
    get rounds() {
      return rounds;
    },
    /** Ends it; all that was found. A database that is away meanwhile is no breach. */
    async stop() {
      isOver = true;
      wake();
      await ended;
      return found;
    },
  };
}
