import type { Transaction } from "@sabika/database";
import { type PersonsWarrant, writeAudit } from "@sabika/service/audit";
import type { PartnerAdminContext } from "../partners/partner_admin_context.ts";
import { textOf } from "./dossier/line.ts";
import { readFacts } from "./read_facts.ts";

type Within = PartnerAdminContext & { transaction: Transaction };

interface ApprovedRow {
  readonly id: string;
  readonly signedAtMs: number;
  readonly keyId: string;
  readonly signature: string;
  readonly facts: string;
  readonly decider: string;
}

/**
 * Finds the approved request for the same act by the same person that is not done yet (Decision D87), and
 * records that they ask for it again. A request whose time or facts have passed is not found.
 *
 * @param warrant the act that asks again
 * @returns the context in which the requested act is carried out; undefined without such a request
 */
export async function collect(admin: Within, warrant: PersonsWarrant): Promise<Within | undefined> {
  const sql = admin.transaction;
  const { operatorId, signed: { name, argumentsText } } = warrant;
  const [found] = await sql<ApprovedRow[]>`
    select request_id as id, extract(epoch from a.signed_at)::float8 * 1000 as "signedAtMs", a.key_id as "keyId", a.signature, facts,
      d.name as decider
    from approvals join acts a on a.act_id = request_id join operators d on d.operator_id = decider_id
    where state = 'done' and expires_at > clock_timestamp() and a.operator_id = ${operatorId}::integer
      and a.name = ${name} and a.arguments::jsonb - 'dossier' = ${argumentsText}::text::jsonb - 'dossier'
      and not exists (select from audit_log l where l.act_id = request_id and l.action = a.name)
    order by requested_at desc limit 1 for no key update of approvals`;
  if (found === undefined) return undefined;
  const facts = await readFacts(admin, name, argumentsText);
  if (!facts.ok || textOf(facts.value) !== found.facts) return undefined;
  const { id, keyId, signature, signedAtMs, decider } = found;
  await writeAudit(sql, admin, "approval.collect", null, { request: id });
  const signed = { id, name, argumentsText, signedAtMs, signature };
  return {
    ...admin,
    actor: { ...admin.actor, from: `${admin.actor.from}, approved by ${decider}` },
    warrant: { signed, operatorId, keyId, isRecorded: true },
  };
}
