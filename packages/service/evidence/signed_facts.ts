import { formatId, type SignedEvidence, type SignedFact } from "@sabika/protocol";
import type { Sql } from "@sabika/database";
import { idAt } from "../lists/list_query.ts";

/** What a partner is said to have asked for, with the signed request that is kept of it. */
export interface KeptFact {
  readonly fact: SignedFact;
  /** Null: none is kept. */
  readonly evidence: SignedEvidence | null;
  /** Whether it was booked when each order and withdrawal already needed its evidence. */
  readonly isDemanded: boolean;
}

interface FactRow extends SignedEvidence {
  kind: SignedFact["kind"];
  id: string;
  evidenceId: string;
  receivedAtMs: number;
  isDemanded: boolean;
  quoteId: string | null;
  amount: bigint | null;
  reference: string | null;
  isKept: boolean;
}

const PAGE = 1_000;

/** Each kind of fact by its evidence's id. What the operator cancelled is no fact of the partner. */
const SOURCES = [
  `select 'order' as kind, order_id as id, order_id as evidence_id, quote_id, null::bigint as amount,
    client_reference, executed_at as booked_at
  from orders where partner_id = $1 and order_id > $2 and order_id < $3 order by order_id limit ${PAGE}`,
  `select 'withdrawal', withdrawal_id, withdrawal_id as evidence_id, null::uuid as quote_id,
    amount_halalas, client_reference, created_at
  from withdrawals where partner_id = $1 and withdrawal_id > $2 and withdrawal_id < $3
  order by withdrawal_id limit ${PAGE}`,
  `select 'cancellation', e.resource_id, e.event_id as evidence_id, null, null, null, e.created_at
  from events e where e.partner_id = $1 and e.type = 'withdrawal.cancelled' and e.event_id > $2
    and e.event_id < $3 and not exists (select from cell_acts c
      where c.subject_id = e.resource_id and c.name = 'withdrawal.cancelled')
  order by e.event_id limit ${PAGE}`,
].map((source) => `
  select f.kind, f.id, f.evidence_id as "evidenceId", moment_of_id(f.evidence_id)::float8 as "receivedAtMs",
    f.booked_at >= evidence_since() as "isDemanded", f.quote_id as "quoteId", f.amount,
    f.client_reference as reference, v.partner_id is not null as "isKept",
    v.timestamp_seconds::float8 as "timestampSeconds", v.nonce, v.url, v.body, v.key_id as "keyId",
    v.signature
  from (${source}) f (kind, id, evidence_id, quote_id, amount, client_reference, booked_at)
  left join evidence v on v.partner_id = $1 and v.evidence_id = f.evidence_id order by 3`);

/**
 * Reads the orders, withdrawals and cancellations of a partner that were asked for in a period, each kind
 * from the oldest on, with their evidence.
 *
 * @param period.fromMs epoch milliseconds, inclusive
 * @param period.untilMs epoch milliseconds, exclusive
 */
export async function* readSignedFacts(
  sql: Sql,
  { partnerId, fromMs, untilMs }: { partnerId: number; fromMs: number; untilMs: number },
): AsyncIterable<readonly KeptFact[]> {
  const end = idAt(untilMs);
  for (const source of SOURCES) {
    let after = idAt(fromMs);
    while (true) {
      const rows = await sql.unsafe<FactRow[]>(source, [partnerId, after, end]);
      yield rows.map((row) => ({
        fact: readFact(row),
        evidence: row.isKept ? evidenceOf(row) : null,
        isDemanded: row.isDemanded,
      }));
      if (rows.length < PAGE) break;
      after = rows.at(-1)!.evidenceId;
    }
  }
}

function readFact({ kind, id, receivedAtMs, quoteId, amount, reference }: FactRow): SignedFact {
  const clientReference = reference;
  switch (kind) {
    case "order":
      return {
        kind,
        receivedAtMs,
        id: formatId("ord", id),
        quoteId: formatId("qt", quoteId!),
        clientReference,
      };
    case "withdrawal":
      return {
        kind,
        receivedAtMs,
        id: formatId("wd", id),
        amountHalalas: amount!,
        clientReference,
      };
    case "cancellation":
      return { kind, receivedAtMs, id: formatId("wd", id) };
  }
}

const evidenceOf = (row: FactRow): SignedEvidence => ({
  keyId: row.keyId,
  timestampSeconds: row.timestampSeconds,
  nonce: row.nonce,
  url: row.url,
  body: row.body,
  signature: row.signature,
});
