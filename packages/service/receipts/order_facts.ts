import { type AnySql, plainArray } from "@sabika/database";

/** What a receipt says of an order, as it is kept; null where it is not known. */
export interface OrderFacts {
  readonly partnerId: number;
  readonly orderId: string;
  /** The client id. */
  readonly partner: string;
  readonly executedAtMs: number;
  readonly side: "buy" | "sell";
  readonly goldMicrograms: bigint;
  readonly priceTenThousandths: bigint;
  /** Null unless the partner sees it. */
  readonly midTenThousandths: bigint | null;
  readonly priceSource: string | null;
  readonly priceAsOfMs: number | null;
  readonly priceNumber: bigint | null;
  readonly feeHalalas: bigint;
  readonly vatHalalas: bigint;
  readonly feeVatHalalas: bigint | null;
  readonly totalHalalas: bigint;
  readonly cashAfterHalalas: bigint;
  readonly goldAfterMicrograms: bigint;
  readonly poolId: string | null;
  readonly poolVersion: number | null;
  readonly poolHash: string | null;
  readonly poolMicrograms: bigint | null;
  /** SHA-256 of the five lines that the partner signed (Decision D20), lower-case hex. */
  readonly requestSha256: string | null;
  /** The receipt, if there is one. */
  readonly jws: string | null;
}

/** An event of a partner, with the order that it reports, if that has no receipt yet. */
export interface EventFacts {
  readonly partnerId: number;
  readonly sequence: bigint;
  readonly order: OrderFacts | undefined;
}

const FACTS = `
  o.order_id as "orderId", p.client_id as partner, (extract(epoch from o.executed_at) * 1000)::float8 as "executedAtMs",
  o.side, o.gold_micrograms as "goldMicrograms", o.price_ten_thousandths as "priceTenThousandths",
  case when o.discloses_spread then o.mid_ten_thousandths end as "midTenThousandths", o.price_source as "priceSource",
  (extract(epoch from o.price_as_of) * 1000)::float8 as "priceAsOfMs", o.price_number as "priceNumber",
  o.fee_halalas as "feeHalalas", o.vat_halalas as "vatHalalas", o.fee_vat_halalas as "feeVatHalalas",
  o.total_halalas as "totalHalalas", o.cash_after_halalas as "cashAfterHalalas",
  o.gold_after_micrograms as "goldAfterMicrograms", w.pool_id as "poolId", w.number as "poolVersion",
  w.hash as "poolHash", w.fine_micrograms as "poolMicrograms",
  encode(sha256(convert_to('POST' || E'\\n' || v.url || E'\\n' || encode(sha256(convert_to(v.body, 'UTF8')), 'hex')
    || E'\\n' || v.timestamp_seconds || E'\\n' || v.nonce, 'UTF8')), 'hex') as "requestSha256", r.jws`;

const BESIDE = `
  left join partners p on p.partner_id = o.partner_id
  left join pool_versions w on w.version_id = o.pool_version_id
  left join evidence v on v.partner_id = o.partner_id and v.evidence_id = o.order_id
  left join receipts r on r.partner_id = o.partner_id and r.order_id = o.order_id`;

/** Reads what a receipt says of an order; undefined when the partner has no such order. */
export async function readOrderFacts(
  sql: AnySql,
  { partnerId, orderId }: { partnerId: number; orderId: string },
): Promise<OrderFacts | undefined> {
  const [row] = await sql.unsafe<OrderFacts[]>(
    `select o.partner_id as "partnerId", ${FACTS} from orders o ${BESIDE}
    where o.partner_id = $1::integer and o.order_id = $2::uuid`,
    [partnerId, orderId],
    { prepare: true },
  );
  return row;
}

/** An order as a recount reads it. */
export interface RecountedOrder extends OrderFacts {
  /** Whether its receipt must be there, if it can have one: it was made long ago. */
  readonly isDue: boolean;
}

/** How many orders are recounted at a time. */
const PAGE = 1_000;

/**
 * Reads the orders of a cell in the order of partners and ids, with their receipts: all of them, or those that came
 * since the last recount that was kept. Clocks differ, and receipts are made after the commit: ten minutes are left.
 *
 * @param limit how many are read at a time
 */
export async function* readRecountedOrders(
  sql: AnySql,
  { partnerId = null, isSince }: { partnerId?: number | undefined | null; isSince: boolean },
  limit = PAGE,
): AsyncIterable<readonly RecountedOrder[]> {
  let after: [partnerId: number, orderId: string] = [-1, "00000000-0000-0000-0000-000000000000"];
  while (true) {
    const page = await sql.unsafe<RecountedOrder[]>(
      `select o.partner_id as "partnerId", ${FACTS}, o.executed_at < d.until - interval '10 minutes' as "isDue"
      from accounts a
      left join recounts c on c.partner_id = a.partner_id and $4::boolean
      left join receipt_marks m on m.partner_id = a.partner_id
      cross join lateral (select (select created_at from events e
        where e.partner_id = a.partner_id and e.sequence = m.last_event) as until) d
      cross join lateral (select * from orders o where o.partner_id = a.partner_id
        and (a.partner_id > $1::integer or o.order_id > $2::uuid)
        and o.order_id >= first_id_at(coalesce((extract(epoch from c.since) * 1000)::bigint - 600000, 0))
        order by o.order_id limit ${limit}) o
      ${BESIDE}
      where a.partner_id >= $1::integer and ($3::integer is null or a.partner_id = $3::integer)
      order by a.partner_id, o.order_id limit ${limit}`,
      [...after, partnerId, isSince],
    );
    if (page.length > 0) yield page;
    if (page.length < limit) return;
    const { partnerId: lastPartner, orderId } = page.at(-1)!;
    after = [lastPartner, orderId];
  }
}

/** Reads the receipts of a cell whose orders are gone. */
export async function readStrayReceipts(
  sql: AnySql,
  partnerId: number | undefined,
): Promise<{ partnerId: number; orderId: string }[]> {
  return await sql<{ partnerId: number; orderId: string }[]>`
    select r.partner_id as "partnerId", r.order_id as "orderId" from receipts r
    left join orders o using (partner_id, order_id)
    where o.order_id is null and (${partnerId ?? null}::integer is null or r.partner_id = ${
    partnerId ?? null
  }::integer)`;
}

/** Reads the receipt of an order; undefined when none was made yet. */
export async function readReceipt(
  sql: AnySql,
  { partnerId, orderId }: { partnerId: number; orderId: string },
): Promise<string | undefined> {
  const [row] = await sql<{ jws: string }[]>`
    select jws from receipts where partner_id = ${partnerId}::integer and order_id = ${orderId}::uuid`;
  return row?.jws;
}

/** At most so many partners are read at a time, those first whose turn was longest ago. */
const PARTNERS = 200;

/** A partner with events that no receipt was looked for, and the number of the last before them. */
export interface DuePartner {
  readonly partnerId: number;
  readonly done: bigint;
}

/** Finds partners with events that no receipt was looked for. */
export async function readDuePartners(sql: AnySql): Promise<DuePartner[]> {
  return await sql.unsafe<DuePartner[]>(
    `select a.partner_id as "partnerId", coalesce(m.last_event, 0) as done
    from accounts a left join receipt_marks m using (partner_id)
    where a.last_event > coalesce(m.last_event, 0) order by m.made_at nulls first limit ${PARTNERS}`,
    [],
    { prepare: true },
  );
}

/**
 * Reads the next events of some partners, of each in their order, in the caller's transaction.
 *
 * @param limit how many, at most
 */
export async function readNextEvents(
  sql: AnySql,
  due: readonly DuePartner[],
  limit: number,
): Promise<EventFacts[]> {
  // Each row is found by its index, whatever the planner thinks of tables that grew since it last looked.
  await sql.unsafe(`set local enable_seqscan = off; set local enable_hashjoin = off;
    set local enable_mergejoin = off; set local jit = off`);
  const rows = await sql.unsafe<(OrderFacts & { sequence: bigint; isOrder: boolean })[]>(
    `select e.partner_id as "partnerId", e.sequence, e.type = 'order.executed' as "isOrder", ${FACTS}
    from unnest($1::integer[], $2::bigint[]) with ordinality as d (partner_id, done, place)
    cross join lateral (select * from events e where e.partner_id = d.partner_id and e.sequence > d.done
      order by e.sequence limit ${limit}) e
    left join orders o on e.type = 'order.executed' and o.partner_id = e.partner_id and o.order_id = e.resource_id
    ${BESIDE}
    order by d.place, e.sequence limit ${limit}`,
    [
      plainArray(due.map(({ partnerId }) => partnerId)),
      plainArray(due.map(({ done }) => done)),
    ],
  );
  return rows.map((row) => ({
    partnerId: row.partnerId,
    sequence: row.sequence,
    order: row.isOrder && row.jws === null ? row : undefined,
  }));
}
