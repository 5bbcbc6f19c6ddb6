import type { AnySql, Sql } from "@sabika/database";
import { digestKeys } from "@sabika/service/idempotency";
import { checkBalances, closeDays } from "@sabika/service/ledger";

/** The rows to write for a partner. */
export interface Past {
  partnerId: number;
  orders: number;
  /** One order in this many has a nonce that is still stored; by default each has. */
  perNonce?: number;
  /** The seconds over which the orders are spread, from 30 days ago on; by default about 29 days. */
  seconds?: number;
}

const CHUNK = 250_000;
/** The time over which stored nonces are spread. */
const NONCE_SECONDS = 23 * 3600;
const PAST_SECONDS = 30 * 86_400;

/**
 * Writes a past for partners by set-based SQL: for each order its quote, order, two transfers, event, key and
 * nonce, with matching balances in the same transaction, since a server that runs suspends a partner whose
 * balances are not the sums of its transfers. The rows are those that the service would write. Foreign keys are
 * not checked, because that would read every row again. `report` gets the number of orders written so far.
 */
export async function fill(
  sql: Sql,
  pasts: readonly Past[],
  nowSeconds: number,
  report: (done: number) => void,
): Promise<void> {
  for (let at = nowSeconds - NONCE_SECONDS; at <= nowSeconds; at += 3600) {
    await sql`select ensure_nonce_partition(${BigInt(at)})`;
  }
  let done = 0;
  for (const { partnerId, orders, perNonce = 1, seconds = 2_500_000 } of pasts) {
    await moveBefore(sql, partnerId, nowSeconds);
    for (let from = 0; from < orders; from += CHUNK) {
      const to = Math.min(orders, from + CHUNK);
      await sql.begin(async (sql) => {
        const before = await moveBalances(sql, partnerId, BigInt(to - from));
        await sql.unsafe("set local session_replication_role = replica");
        const past = { partnerId, orders, perNonce, seconds };
        await sql.unsafe(statement(past, from, to, before, nowSeconds));
      });
      done += to - from;
      report(done);
    }
  }
  await countOnce(sql);
  await digestKeys({ sql });
  await closeDays({ sql });
  await sql.unsafe("vacuum (analyze) quotes, orders, transfers, events, trade_keys, nonces");
  await sql.unsafe("checkpoint");
}

/** The numbers of a partner's last rows. */
interface LastNumbers {
  readonly transfer: bigint;
  readonly event: bigint;
  readonly key: bigint;
}

/** Moves a partner's balances and numbers by so many orders; returns the numbers before them. */
async function moveBalances(sql: AnySql, partnerId: number, orders: bigint): Promise<LastNumbers> {
  const [last] = await sql<LastNumbers[]>`
    update accounts set last_key = last_key + ${orders}, last_transfer = last_transfer + ${
    2n * orders
  },
      last_event = last_event + ${orders},
      cash_halalas = cash_halalas - ${48_622n * orders},
      house_cash_halalas = house_cash_halalas + ${48_622n * orders},
      gold_micrograms = gold_micrograms + ${1_000_000n * orders},
      allocation_micrograms = allocation_micrograms - ${1_000_000n * orders}
    where partner_id = ${partnerId}
    returning last_transfer - ${2n * orders} as transfer, last_event - ${orders} as event,
      last_key - ${orders} as key`;
  return last!;
}

/**
 * Moves the partner's earlier transfers to the beginning of its past, because numbers must rise with time
 * and days are closed from the first transfer on.
 */
async function moveBefore(sql: Sql, partnerId: number, nowSeconds: number): Promise<void> {
  await sql.begin(async (sql) => {
    await sql.unsafe("set local session_replication_role = replica");
    await sql`
      update transfers set posted_at = to_timestamp(${pastStart(nowSeconds)})
      where partner_id = ${partnerId}`;
  });
}

function pastStart(nowSeconds: number): number {
  return nowSeconds - PAST_SECONDS;
}

/** Does a server's first comparison of balances, which also proves that they agree. */
async function countOnce(sql: Sql): Promise<void> {
  const size = { partners: 50, transfers: 200_000, steps: 10_000 };
  let wrong = await checkBalances(sql, { size });
  // Undefined while a server compares the balances.
  while (wrong === undefined) wrong = await checkBalances(sql, { size });
  if (wrong.length > 0) throw new Error("the filled balances do not agree");
}

/** Builds the statement; its values are the bench's own numbers, so they need no quoting. */
function statement(
  { partnerId: partner, orders, perNonce, seconds }: Required<Past>,
  from: number,
  to: number,
  before: LastNumbers,
  nowSeconds: number,
): string {
  const start = pastStart(nowSeconds);
  // A UUIDv7 of the row's time, which rises with its number; its other bits are from a hash.
  const id = (hash: string) =>
    `(lpad(to_hex((${start}::bigint + n * ${seconds} / ${orders}) * 1000), 12, '0') || '7' ||
      substr(${hash}, 1, 3) || '8' || substr(${hash}, 4, 15))::uuid`;
  return `
    with past as materialized (
      select n, ${id("h.quote")} as quote_id, ${id("h.ordered")} as order_id, ${
    id("h.event")
  } as event_id,
        to_timestamp(${start}::bigint + n * ${seconds} / ${orders}) as at,
        decode(md5(n || 'key ${partner}'), 'hex') as key_hash,
        decode(md5(n || 'nonce ${partner}'), 'hex') as nonce_hash
      from generate_series(${from + 1}::bigint, ${to}::bigint) as n,
        lateral (
          select md5(n || 'quote ${partner}') as quote, md5(n || 'order ${partner}') as ordered,
            md5(n || 'event ${partner}') as event
          offset 0
        ) as h
    ), q as (
      insert into quotes (partner_id, quote_id, gold_micrograms, price_ten_thousandths, fee_halalas,
        vat_ppm, vat_halalas, total_halalas, price_as_of, created_at, expires_at, side, price_number,
        mid_ten_thousandths, spread_ppm, fee_ppm, gold_vat_ppm, fee_vat_halalas, price_source, discloses_spread)
      select ${partner}, quote_id, 1000000, 4850000, 122, 0, 0, 48622, at, at,
        at + interval '1 minute', 'buy', 1, 4825870, 5000, 2500, 0, 0, 'fixed', false from past
    ), o as (
      insert into orders (partner_id, order_id, quote_id, gold_micrograms, price_ten_thousandths,
        fee_halalas, vat_halalas, total_halalas, cash_after_halalas, gold_after_micrograms,
        executed_at, side, price_as_of, price_number,
        mid_ten_thousandths, spread_ppm, fee_ppm, gold_vat_ppm, fee_vat_ppm, fee_vat_halalas, price_source, discloses_spread)
      select ${partner}, order_id, quote_id, 1000000, 4850000, 122, 0, 48622,
        1000000000000000 - n * 48622, n * 1000000, at, 'buy', at, 1, 4825870, 5000, 2500, 0, 0, 0, 'fixed',
        false from past
    ), t as (
      insert into transfers (partner_id, number, amount, posted_at, source_id, asset, debit_account,
        credit_account, source_kind)
      select ${partner}, ${before.transfer} + (n - ${from}) * 2 + leg - 1, amount, at, order_id, asset, debit, credit, 'order'
      from past, (values (0, 48622, 'SAR', 'cash', 'house_cash'),
        (1, 1000000, 'XAU', 'allocation', 'gold')) as l (leg, amount, asset, debit, credit)
    ), e as (
      insert into events (partner_id, sequence, event_id, resource_id, created_at, type)
      select ${partner}, ${before.event} + n - ${from}, event_id, order_id, at, 'order.executed' from past
    ), k as (
      insert into trade_keys (partner_id, generation, key_hash, fingerprint, resource_id, created_at,
        resource_kind)
      select ${partner}, key_generation(${before.key} + n - ${from} - 1) as generation, key_hash, key_hash,
        order_id, at, 'order' from past order by generation, key_hash
    )
    insert into nonces (partner_id, timestamp_seconds, nonce_hash)
    select ${partner}, ${nowSeconds} - n % ${NONCE_SECONDS}, nonce_hash from past
    where n % ${perNonce} = 0 order by nonce_hash`;
}
