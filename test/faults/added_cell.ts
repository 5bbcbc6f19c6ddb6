import { assert } from "@std/assert";
import type { Database } from "@sabika/database";
import type { PartnerAdminContext } from "@sabika/office/partners";
import { copyToCell } from "@sabika/service/cells";
import { postTransfer } from "@sabika/service/ledger";
import { addCell } from "@sabika/service/moving";
import type { RunningPostgreSQL } from "../../tools/programs/run_postgresql.ts";
import { until } from "../support/until.ts";

const PATIENCE_MS = 60_000;

/** Control, with its standby if it has one. */
interface Control {
  readonly admin: PartnerAdminContext;
  readonly database: Database;
  readonly postgresql: RunningPostgreSQL;
  readonly standby: { readonly postgresql: RunningPostgreSQL } | undefined;
}

/** How a cell reaches control, wherever that is. */
export function wayToControl({ postgresql, standby }: Control): string {
  const servers = [postgresql, ...standby === undefined ? [] : [standby.postgresql]];
  return `host=${servers.map(({ socketFolder }) => socketFolder).join()} ` +
    `port=${servers.map(({ port }) => port).join()} user=sabika_copies dbname=postgres ` +
    "target_session_attrs=read-write";
}

/** Has a migrated database copy control's rows, and adds it as the cell `b`. */
export async function addCellTo(control: Control, cell: Database): Promise<void> {
  await copyToCell({
    cellId: "b",
    control: control.database.sql,
    database: "postgres",
    cell: cell.sql,
    connection: wayToControl(control),
  });
  // A standby of the cell that is promoted has all that the cell has confirmed to control.
  await cell.sql`alter subscription sabika_partners set (synchronous_commit = on)`;
  assert((await addCell(control.admin, "b", cell)).ok);
}

/** Books gold for a partner as soon as it has accounts in the cell, with no word to control's vault. */
export async function giveGoldInCell(
  { sql }: Database,
  partnerId: number,
  amount: bigint,
): Promise<void> {
  await until(
    async () => (await sql`select from accounts where partner_id = ${partnerId}`).length === 1,
    PATIENCE_MS,
  );
  await sql.begin((within) =>
    postTransfer(within, {
      partnerId,
      amount,
      asset: "XAU",
      debit: "vault",
      credit: "allocation",
      sourceKind: "allocation",
      sourceId: crypto.randomUUID(),
    })
  );
}
