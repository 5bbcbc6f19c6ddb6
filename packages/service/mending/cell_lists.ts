import type { Sql, Transaction } from "@sabika/database";

/** The lists in which control and a cell are compared. */
export const CELL_LISTS = ["homes", "copies", "acts", "moves"] as const;
/** The name of a list. */
export type CellList = (typeof CELL_LISTS)[number];

/** Moves and acts in progress between control and a cell; the lists of both sides leave them out. */
export interface UnderWay {
  /** Partners that are moving into the cell or out of it. */
  readonly partners: readonly number[];
  readonly moves: readonly string[];
  readonly acts: readonly string[];
}

/**
 * A partner with a hash of the columns that a cell copies, and of the pool that its accounts take from them; short,
 * since all of them are read.
 */
const copied = (accountsPool: string) =>
  `p.partner_id || ' ' || hashtextextended(row(p.client_id, p.name, p.status,
  p.settlement_iban, p.webhook_url, p.spread_ppm, p.fee_ppm, p.vat_ppm, p.taxes, p.discloses_spread, p.pool_number,
  coalesce(${accountsPool}, p.pool_number, 1))::text, 0)`;

/** What a cell copies that is of no partner: the version in force of each pool, and the price's settings. */
const SHARED = `
  select 'pools ' || pool_id || ' ' || coalesce(version_id, 0) from pools
  union all select 'price_settings ' || hashtextextended(row(source, configuration, paused)::text, 0)
  from price_settings`;

/** Statements that list keys; `$1` is the cell's name. */
const IN_CONTROL: Readonly<Record<CellList, string>> = {
  homes: `select p.partner_id::text as key from partners p where p.cell_id = $1
    and not exists (select from open_moves m where m.partner_id = p.partner_id)`,
  copies: `select ${copied("null")} as key from partners p where p.cell_id = $1
      and not exists (select from open_moves m where m.partner_id = p.partner_id)
    union all ${SHARED}
    union all select act_id::text from cell_acts where cell_id = $1 and result is null`,
  acts: `select act_id::text as key from cell_acts where cell_id = $1 and result is not null`,
  moves: `select move_id || case from_cell when $1 then ' left' else ' entered' end as key
    from partner_moves where step = 'done' and $1 in (from_cell, to_cell)`,
};

const OPEN_MOVES = `with open_moves as (
  select move_id, partner_id from partner_moves
  where ended_at is null and $1 in (from_cell, to_cell)
)`;

/** The keys that the cell has, in the form of those of control; `$1` is {@link UnderWay} as JSON. */
const IN_CELL: Readonly<Record<CellList, string>> = {
  homes: `select partner_id::text as key from accounts
    where not exists (select from moving m where m.partner_id = accounts.partner_id)`,
  copies: `select ${copied("a.pool_number")} as key from partners p join deployment using (cell_id)
      left join accounts a using (partner_id)
      where not exists (select from moving m where m.partner_id = p.partner_id)
    union all ${SHARED}
    union all select act_id::text from cell_acts join open_acts using (act_id)`,
  acts: `select act_id::text as key from booked_acts b
    where not exists (select from open_acts o where o.act_id = b.act_id)`,
  moves: `select move_id || ' ' || side as key from move_ends e where side <> 'awaited'
    and not exists (select from open_moves m where m.move_id = e.move_id)`,
};

const UNDER_WAY = `with moving as (
  select value::integer as partner_id from jsonb_array_elements_text($1::jsonb->'partners')
), open_moves as (
  select value::uuid as move_id from jsonb_array_elements_text($1::jsonb->'moves')
), open_acts as (
  select value::uuid as act_id from jsonb_array_elements_text($1::jsonb->'acts')
)`;

type Tallies = Readonly<Record<CellList, string>>;

/** Selects the number of keys in each list, with the sum of their hashes. */
const tallies = (lists: typeof IN_CONTROL) =>
  CELL_LISTS.map((list) =>
    `(select count(*) || ' ' || coalesce(sum(hashtextextended(key, 0)), 0)
      from (${lists[list]}) as ${list}) as ${list}`
  ).join(", ");

/** Reads in one snapshot the tallies of what control knows about a cell. */
export async function tallyControl(
  sql: Sql,
  cellId: string,
): Promise<{ tallies: Tallies; underWay: UnderWay }> {
  const [row] = await sql.unsafe<(Tallies & UnderWayRow)[]>(
    `${OPEN_MOVES} select ${tallies(IN_CONTROL)}, ${UNDER_WAY_COLUMN}`,
    [cellId],
  );
  const { underWay, ...all } = row!;
  return { tallies: all, underWay };
}

interface UnderWayRow {
  readonly underWay: UnderWay;
}

const UNDER_WAY_COLUMN = `(select jsonb_build_object(
  'partners', coalesce((select jsonb_agg(partner_id) from open_moves), '[]'),
  'moves', coalesce((select jsonb_agg(move_id) from open_moves), '[]'),
  'acts', coalesce((select jsonb_agg(act_id) from cell_acts where cell_id = $1 and result is null),
    '[]'))) as "underWay"`;

/** Reads in one snapshot the tallies of what a cell has. */
export async function tallyCell(sql: Sql, underWay: UnderWay): Promise<Tallies> {
  const statement = `${UNDER_WAY} select ${tallies(IN_CELL)}`;
  const [row] = await sql.unsafe<Tallies[]>(statement, [JSON.stringify(underWay)]);
  return row!;
}

type Lists = Readonly<Record<CellList, ReadonlySet<string>>>;

const ONE_SNAPSHOT = "isolation level repeatable read read only";

/** Reads in one snapshot all that control knows about a cell, and how often each partner moved. */
export function listControl(
  sql: Sql,
  cellId: string,
): Promise<{ lists: Lists; underWay: UnderWay; moves: ReadonlyMap<number, number> }> {
  return sql.begin(ONE_SNAPSHOT, async (tx) => {
    const statement = `${OPEN_MOVES} select ${UNDER_WAY_COLUMN}`;
    const [row] = await tx.unsafe<UnderWayRow[]>(statement, [cellId]);
    const lists = await listAll(tx, (list) => `${OPEN_MOVES} ${IN_CONTROL[list]}`, cellId);
    return { lists, underWay: row!.underWay, moves: await countMoves(tx, cellId) };
  });
}

/** Reads in one snapshot all that a cell has. */
export function listCell(sql: Sql, underWay: UnderWay): Promise<Lists> {
  return sql.begin(
    ONE_SNAPSHOT,
    (tx) => listAll(tx, (list) => `${UNDER_WAY} ${IN_CELL[list]}`, JSON.stringify(underWay)),
  );
}

/** Counts how often each partner moved into the cell or out of it, by the partner's number. */
export async function countMoves(
  sql: Sql | Transaction,
  cellId: string,
): Promise<ReadonlyMap<number, number>> {
  const rows = await sql<{ partnerId: number; moves: number }[]>`
    select partner_id as "partnerId", count(*)::int as moves from partner_moves
    where ${cellId}::text in (from_cell, to_cell) group by partner_id`;
  return new Map(rows.map(({ partnerId, moves }) => [partnerId, moves]));
}

async function listAll(
  tx: Transaction,
  statementOf: (list: CellList) => string,
  underWay: string,
): Promise<Lists> {
  const found: Partial<Record<CellList, ReadonlySet<string>>> = {};
  for (const list of CELL_LISTS) {
    const rows = await tx.unsafe<{ key: string }[]>(statementOf(list), [underWay]);
    found[list] = new Set(rows.map(({ key }) => key));
  }
  return found as Lists;
}
