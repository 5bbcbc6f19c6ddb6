import { parseId } from "@sabika/protocol";
import type { AnySql, Transaction } from "@sabika/database";
import type { AdminContext } from "@sabika/service/audit";
import type { AdminOutcome, AdminRefusal } from "@sabika/terms";
import { lockPeople } from "../people/people.ts";
import { openCell } from "./open_cell.ts";

type Rows = readonly { facts: string | null }[];

/**
 * Reads the facts on which an act is requested and approved, as JSON text: the current rows of the partner,
 * withdrawal, bar, person, prices or policy that the act names. The rows that the act locks first are locked
 * here, so that the facts hold until the transaction ends. A withdrawal is read in its partner's cell,
 * and the act itself checks its state.
 *
 * @returns the facts; a refusal while a cell that may have the withdrawal cannot be used
 */
export async function readFacts(
  { transaction: sql, cells }: Pick<AdminContext, "cells"> & { transaction: Transaction },
  name: string,
  values: Readonly<Record<string, unknown>>,
): Promise<AdminOutcome<string>> {
  const facts: string[] = [];
  const text = (argument: string) =>
    typeof values[argument] === "string" ? values[argument] : undefined;
  const add = (rows: Rows) => facts.push(...rows.map((row) => row.facts ?? "null"));
  const [partner, withdrawal, serial, operator] = ["partner", "withdrawal", "serial", "operator"]
    .map(text);
  if (partner !== undefined) {
    add(
      await sql<Rows>`select (to_jsonb(p) - 'revision')::text as facts from partners p
      where client_id = ${partner} for no key update`,
    );
  }
  const uuid = withdrawal === undefined ? undefined : parseId("wd", withdrawal);
  if (uuid !== undefined) {
    const found = await factsOfWithdrawal({ sql, cells }, uuid);
    if (!found.ok) return found;
    add(found.value);
  }
  if (serial !== undefined) {
    add(
      await sql<Rows>`select to_jsonb(b)::text as facts from vault_bars b
      where serial = ${serial} for no key update`,
    );
  }
  if (operator !== undefined) {
    await lockPeople(sql);
    add(
      await sql<Rows>`select to_jsonb(o)::text as facts from operators o
      where name = ${operator} for no key update`,
    );
    add(
      await sql<Rows>`select jsonb_build_object(
        'roles', (select jsonb_agg(role order by role) from operator_roles r
          where r.operator_id = o.operator_id),
        'keys', (select jsonb_agg(jsonb_build_array(key_id, valid_until) order by key_id)
          from operator_keys k where k.operator_id = o.operator_id))::text as facts
      from operators o where name = ${operator}`,
    );
  }
  if (name.startsWith("price.")) {
    add(await sql<Rows>`select to_jsonb(s)::text as facts from price_settings s for no key update`);
  }
  if (name.startsWith("policy.")) {
    add(await sql<Rows>`select to_jsonb(o)::text as facts from office o for no key update`);
    add(
      await sql<Rows>`select jsonb_agg(to_jsonb(r) order by act)::text as facts
      from approval_rules r`,
    );
  }
  return { ok: true, value: `[${facts.join(",")}]` };
}

/** Reads the withdrawal's row, in control's database or in the cell that has it; none if there is none. */
async function factsOfWithdrawal(
  { sql, cells }: Pick<AdminContext, "cells"> & { sql: Transaction },
  withdrawalId: string,
): Promise<AdminOutcome<Rows>> {
  const readRows = (database: AnySql) =>
    database<Rows>`select to_jsonb(w)::text as facts from partners p
      join lateral (select * from withdrawals w where w.partner_id = p.partner_id
        and w.withdrawal_id = ${withdrawalId}::uuid) w on true`;
  let value = await readRows(sql);
  let refusal: AdminRefusal | undefined;
  for (const name of await cells?.names() ?? []) {
    if (value.length > 0) break;
    const cell = await openCell({ cells }, name);
    if (cell.ok) value = await readRows(cell.value.sql);
    else refusal = cell;
  }
  return value.length === 0 && refusal !== undefined ? refusal : { ok: true, value };
}
