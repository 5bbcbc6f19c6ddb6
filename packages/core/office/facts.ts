import { parseId } from "@sabika/protocol";
import type { Transaction } from "../store/sql.ts";

/**
 * The facts that an act is asked for and approved on, as JSON text: the partner, the withdrawal, the
 * bar, the person, the prices or the policy that it is about, as they stand. What an act locks first
 * is locked here, so that the facts hold until the transaction ends; of a withdrawal the act itself
 * checks the state.
 */
export async function readFacts(
  sql: Transaction,
  name: string,
  given: Readonly<Record<string, unknown>>,
): Promise<string> {
  const facts: string[] = [];
  const text = (argument: string) =>
    typeof given[argument] === "string" ? given[argument] : undefined;
  const add = (rows: readonly { facts: string | null }[]) =>
    facts.push(...rows.map((row) => row.facts ?? "null"));
  type Row = { facts: string | null }[];
  const [partner, withdrawal, serial, operator] = ["partner", "withdrawal", "serial", "operator"]
    .map(text);
  if (partner !== undefined) {
    add(
      await sql<Row>`select (to_jsonb(p) - 'revision')::text as facts from partners p
      where client_id = ${partner} for no key update`,
    );
  }
  const uuid = withdrawal === undefined ? undefined : parseId("wd", withdrawal);
  if (uuid !== undefined) {
    add(
      await sql<Row>`select to_jsonb(w)::text as facts from partners p
      join lateral (select * from withdrawals w where w.partner_id = p.partner_id
        and w.withdrawal_id = ${uuid}::uuid) w on true`,
    );
  }
  if (serial !== undefined) {
    add(
      await sql<Row>`select to_jsonb(b)::text as facts from vault_bars b
      where serial = ${serial} for no key update`,
    );
  }
  if (operator !== undefined) {
    add(
      await sql<Row>`select to_jsonb(o)::text as facts from operators o
      where name = ${operator} for no key update`,
    );
    add(
      await sql<Row>`select jsonb_build_object(
        'roles', (select jsonb_agg(role order by role) from operator_roles r
          where r.operator_id = o.operator_id),
        'keys', (select jsonb_agg(jsonb_build_array(key_id, valid_until) order by key_id)
          from operator_keys k where k.operator_id = o.operator_id))::text as facts
      from operators o where name = ${operator}`,
    );
  }
  if (name.startsWith("price.")) {
    add(await sql<Row>`select to_jsonb(s)::text as facts from price_settings s for no key update`);
  }
  if (name.startsWith("policy.")) {
    add(await sql<Row>`select to_jsonb(o)::text as facts from office o for no key update`);
    add(
      await sql<Row>`select jsonb_agg(to_jsonb(r) order by act)::text as facts
      from approval_rules r`,
    );
  }
  return `[${facts.join(",")}]`;
}
