import { removeContact, setContact } from "../partners/contacts.ts";
import { DOCUMENT_KINDS, removeDocument, setDocument } from "../partners/documents.ts";
import { act } from "./act.ts";
import * as checked from "./argument_checks.ts";
import { oneOf, optional, text } from "./arguments.ts";
import {
  describeContact,
  describeDocument,
  describeNoContact,
  describeNoDocument,
} from "./dossier/partner_file_lines.ts";

const partner = text;

/** Acts on what is on file about a partner: whom to call there, and documents. */
export const PARTNER_FILE_ACTS = {
  "partner.contact.set": act(
    {
      partner,
      name: checked.oneLine,
      role: checked.oneLine,
      telephone: optional(checked.telephone),
      mail: optional(checked.mail),
    },
    describeContact,
    (admin, { partner, name, role, telephone = null, mail = null }) =>
      setContact(admin, partner, { name, role, telephone, mail }),
  ),
  "partner.contact.remove": act(
    { partner, name: text },
    describeNoContact,
    (admin, { partner, name }) => removeContact(admin, partner, name),
  ),
  "partner.document.set": act(
    {
      partner,
      kind: oneOf(DOCUMENT_KINDS),
      reference: checked.oneLine,
      document_sha256: checked.sha256,
      issued_on: checked.day,
      valid_until: optional(checked.day),
    },
    describeDocument,
    (admin, { partner, kind, reference, document_sha256, issued_on, valid_until = null }) =>
      setDocument(admin, partner, {
        kind,
        reference,
        sha256: document_sha256,
        issuedOn: issued_on,
        validUntil: valid_until,
      }),
  ),
  "partner.document.remove": act(
    { partner, reference: text },
    describeNoDocument,
    (admin, { partner, reference }) => removeDocument(admin, partner, reference),
  ),
} as const;
