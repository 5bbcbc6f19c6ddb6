import type { Sql } from "@sabika/database";
import { hasCopies } from "./verify_cell.ts";

/** A cell that is to copy from control, with connections of a superuser to both. */
export interface CopyingCell {
  readonly cellId: string;
  readonly control: Sql;
  /** The name of control's database. */
  readonly database: string;
  readonly cell: Sql;
  /** The libpq connection string by which the cell reaches control. */
  readonly connection: string;
}

const PATIENCE_MS = 60_000;
const PAUSE_MS = 50;

/**
 * Makes a migrated database copy what a cell needs from control (Decision D53), and resolves when the
 * first copies are complete. A cell that copies already gets the present address of control, and what an earlier
 * release did not copy. It can be repeated after an interruption.
 *
 * @throws Error when the copies are not complete within a minute
 */
export async function copyToCell(copying: CopyingCell): Promise<void> {
  const { cellId, control, cell, connection } = copying;
  const [found] = await control<{ publications: string[]; slots: string[] }[]>`
    select (select coalesce(array_agg(pubname::text), '{}') from pg_publication) as publications,
      (select coalesce(array_agg(slot_name::text), '{}') from pg_replication_slots) as slots`;
  const { publications, slots } = found!;
  await control.begin(async (sql) => {
    const statements = publications.includes("sabika_cells")
      ? [`alter publication sabika_cells set table ${COPIED}`, GRANT]
      : publishToCells(copying.database);
    for (const statement of statements) await sql.unsafe(statement);
    if (!publications.includes(`sabika_acts_${cellId}`)) await sql.unsafe(publishActs(cellId));
  });
  if (!slots.includes(`sabika_${cellId}`)) await control.unsafe(makeSlot(cellId));

  const subscribed = await cell`select from pg_subscription where subname = 'sabika_partners'`;
  const statements = subscribed.length === 0
    ? subscribe(cellId, connection)
    : [`alter subscription sabika_partners connection ${quoted(connection)}`];
  for (const statement of statements) await cell.unsafe(statement);
  const copied = await cell<{ name: string }[]>`select srrelid::regclass::text as name
    from pg_subscription_rel`;
  const isCopied = (table: string) => copied.some(({ name }) => name === table);
  if (!isCopied("pools")) {
    if (!isCopied("price_settings")) await cell`delete from price_settings`;
    // What was copied before a restore; versions are append-only.
    await cell.begin(async (sql) => {
      await sql`set local session_replication_role = replica`;
      await sql`delete from pool_versions`;
      await sql`delete from pools`;
    });
    await cell`alter subscription sabika_partners refresh publication`;
    // Sends the columns that are new.
    await control`update partners set cell_id = cell_id`;
  }
  for (const endMs = performance.now() + PATIENCE_MS; !await hasAllCopies(cell);) {
    if (performance.now() > endMs) {
      throw new Error(`the cell "${cellId}" gets no copies of control`);
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}

/** Returns the statements of docs/scale.md, for a superuser to run in control, then in the cell. */
export function copyStatements(
  { cellId, database, connection }: Pick<CopyingCell, "cellId" | "database" | "connection">,
): { inControl: string[]; inCell: string[] } {
  return {
    inControl: [...publishToCells(database), publishActs(cellId), makeSlot(cellId)],
    inCell: subscribe(cellId, connection),
  };
}

/** Also those that an earlier release did not copy, without which a cell can serve. */
async function hasAllCopies(cell: Sql): Promise<boolean> {
  const open = await cell`select from pg_subscription_rel where srsubstate <> 'r'`;
  return open.length === 0 && await hasCopies(cell);
}

const COPIED =
  `cells, partner_moves, pools, pool_versions, price_settings, partners (partner_id, client_id, name, status, settlement_iban,
        webhook_url, cell_id, spread_ppm, fee_ppm, vat_ppm, taxes, discloses_spread, pool_number)`;
const GRANT =
  "grant select on cells, partners, cell_acts, partner_moves, pools, pool_versions, price_settings to sabika_copies";

/** The publication that all cells copy, and the login that reads it; made once for each deployment. */
function publishToCells(database: string): string[] {
  return [
    `create publication sabika_cells
      for table ${COPIED}
      with (publish = 'insert, update')`,
    "create role sabika_copies login replication",
    `grant connect on database ${database} to sabika_copies`,
    "grant usage on schema public to sabika_copies",
    GRANT,
  ];
}

function publishActs(cellId: string): string {
  return `create publication sabika_acts_${cellId}
    for table cell_acts (act_id, cell_id, partner_id, name, subject_id, amount, note, recorded_at)
    where (cell_id = '${cellId}') with (publish = 'insert')`;
}

const makeSlot = (cellId: string) =>
  `select pg_create_logical_replication_slot('sabika_${cellId}', 'pgoutput')`;

function subscribe(cellId: string, connection: string): string[] {
  return [
    "delete from cells",
    "delete from price_settings",
    "delete from pools",
    "alter table partners enable replica trigger partners_copied",
    `create subscription sabika_partners
      connection ${quoted(connection)}
      publication sabika_cells, sabika_acts_${cellId}
      with (slot_name = 'sabika_${cellId}', create_slot = false)`,
  ];
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
