import { type Form, nullable, oneOf, STRING } from "@sabika/protocol";
import { member, record } from "@sabika/protocol/record-form";
import type { Contact } from "../partners/contacts.ts";
import type { PartnerDocumentState } from "../partners/documents.ts";

/** Somebody to call at a partner. */
export const CONTACT: Form<Contact> = record<Contact>("contact", {
  name: member("name", STRING),
  role: member("role", STRING),
  telephone: member("telephone", nullable(STRING)),
  mail: member("mail", nullable(STRING)),
});

/** A document on file about a partner. */
export const PARTNER_DOCUMENT: Form<PartnerDocumentState> = record<PartnerDocumentState>(
  "partner document",
  {
    clientId: member("client_id", STRING),
    kind: member(
      "kind",
      oneOf(["commercial_registration", "licence", "contract", "other"] as const),
    ),
    reference: member("reference", STRING),
    sha256: member("sha256", STRING),
    issuedOn: member("issued_on", STRING),
    validUntil: member("valid_until", nullable(STRING), "The last day, in Riyadh."),
    state: member("state", oneOf(["valid", "ending", "ended"]), "`ending`: on its last 30 days."),
  },
);
