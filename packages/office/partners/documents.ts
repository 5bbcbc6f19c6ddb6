import { refuse } from "@sabika/protocol";
import type { AnySql } from "@sabika/database";
import { changePartner } from "@sabika/service/audit";
import { isDocumentHash, isLine } from "@sabika/service/vault";
import { type AdminOutcome, riyadhDayEnd, riyadhDayStart } from "@sabika/terms";
import type { PartnerAdminContext } from "./partner_admin_context.ts";

/** The kinds of documents on file about a partner. */
export const DOCUMENT_KINDS = ["commercial_registration", "licence", "contract", "other"] as const;

/** A document on file about a partner: its reference, and the SHA-256 of what lies elsewhere. */
export interface PartnerDocument {
  readonly reference: string;
  readonly kind: (typeof DOCUMENT_KINDS)[number];
  /** Hex, in lower case. */
  readonly sha256: string;
  /** A day such as `2026-11-21`. */
  readonly issuedOn: string;
  /** The last day, in Riyadh; null: without an end. */
  readonly validUntil: string | null;
}

/** A document with its partner, and whether it is in force: `ending` on its last 30 days. */
export interface PartnerDocumentState extends PartnerDocument {
  readonly clientId: string;
  readonly state: "valid" | "ending" | "ended";
}

/** As credentials are said to end. */
const ENDING_MS = 30 * 86_400_000;

/** Lists the documents of all partners or of one, those that end first at the beginning. */
export async function listDocuments(
  sql: AnySql,
  nowMs: number,
  { clientId = null }: { readonly clientId?: string | null } = {},
): Promise<PartnerDocumentState[]> {
  const rows = await sql<(PartnerDocument & { clientId: string })[]>`
    select p.client_id as "clientId", reference, kind, sha256, issued_on::text as "issuedOn",
      valid_until::text as "validUntil"
    from partner_documents join partners p using (partner_id)
    where ${clientId}::text is null or p.client_id = ${clientId}
    order by valid_until nulls last, p.client_id, reference`;
  return rows.map((document) => ({ ...document, state: stateOf(document.validUntil, nowMs) }));
}

function stateOf(validUntil: string | null, nowMs: number): PartnerDocumentState["state"] {
  if (validUntil === null) return "valid";
  const endMs = riyadhDayEnd(validUntil)!;
  return endMs <= nowMs ? "ended" : endMs <= nowMs + ENDING_MS ? "ending" : "valid";
}

/** Records a document on file about a partner, in place of what was recorded under the same reference. */
export function setDocument(
  admin: PartnerAdminContext,
  clientId: string,
  document: PartnerDocument,
): Promise<AdminOutcome<null>> {
  return changePartner(admin, clientId, "partner.document.set", async (sql, { partnerId }) => {
    const wrong = checkDocument(document);
    if (wrong !== undefined) return refuse("invalid_setting", wrong);
    const { reference, kind, sha256, issuedOn, validUntil } = document;
    await sql`insert into partner_documents (partner_id, reference, kind, sha256, issued_on, valid_until)
      values (${partnerId}::integer, ${reference}, ${kind}, ${sha256}, ${issuedOn}::text::date,
        ${validUntil}::text::date)
      on conflict (partner_id, reference) do update set kind = excluded.kind, sha256 = excluded.sha256,
        issued_on = excluded.issued_on, valid_until = excluded.valid_until`;
    return { ok: true, value: null, audit: { reference, kind, sha256, issuedOn, validUntil } };
  });
}

/** Removes a document that is on file no more. */
export function removeDocument(
  admin: PartnerAdminContext,
  clientId: string,
  reference: string,
): Promise<AdminOutcome<null>> {
  return changePartner(admin, clientId, "partner.document.remove", async (sql, { partnerId }) => {
    const removed = await sql`delete from partner_documents
      where partner_id = ${partnerId}::integer and reference = ${reference} returning reference`;
    if (removed.length === 0) return refuse("not_found", `no document "${reference}" is recorded`);
    return { ok: true, value: null, audit: { reference } };
  });
}

function checkDocument({ reference, sha256, issuedOn, validUntil }: PartnerDocument) {
  if (!isLine(reference)) return "a reference has 1 to 128 characters on one line";
  if (!isDocumentHash(sha256)) return "a SHA-256 has 64 hexadecimal digits";
  if ([issuedOn, validUntil].some((day) => day !== null && riyadhDayStart(day) === undefined)) {
    return "not a day, such as 2027-01-01";
  }
  return validUntil !== null && validUntil < issuedOn
    ? `it ends on ${validUntil}, before it was issued`
    : undefined;
}
