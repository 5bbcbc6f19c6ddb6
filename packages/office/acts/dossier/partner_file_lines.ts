import { type Contact, listContacts } from "../../partners/contacts.ts";
import { listDocuments, type PartnerDocument } from "../../partners/documents.ts";
import { change, type Line, line, type Value } from "./line.ts";
import { type Describe, ofPartner, type PartnerSubject } from "./subject.ts";

const NONE: Value = { word: "none" };
const textOf = (text: string | null | undefined): Value => text == null ? NONE : { text };

/** A line of what an act sets: from what it is, where something is recorded already. */
const set = (name: Line["name"], isKnown: boolean, was: Value, value: Value): Line =>
  isKnown ? change(name, was, value) : line(name, value);

const contactOf = async ({ input: { name }, control, partner }: PartnerSubject<{ name: string }>) =>
  (await listContacts(control, partner.partnerId)).find((contact) => contact.name === name);

/** Whom to call at a partner from now on. */
export const describeContact: Describe<
  Pick<Contact, "name" | "role"> & {
    readonly telephone: string | undefined;
    readonly mail: string | undefined;
  }
> = ofPartner(async (subject) => {
  const { name, role, telephone, mail } = subject.input;
  const before = await contactOf(subject);
  const isKnown = before !== undefined;
  return [
    line("name", { text: name }),
    set("contact_role", isKnown, textOf(before?.role), { text: role }),
    set("telephone", isKnown, textOf(before?.telephone), textOf(telephone)),
    set("mail", isKnown, textOf(before?.mail), textOf(mail)),
  ];
});

/** Who is not to be called any more. */
export const describeNoContact: Describe<{ readonly name: string }> = ofPartner(async (subject) => {
  const before = await contactOf(subject);
  return [
    line("name", { text: subject.input.name }),
    line("contact_role", textOf(before?.role)),
    line("telephone", textOf(before?.telephone)),
    line("mail", textOf(before?.mail)),
  ];
});

const documentOf = async (
  { input: { reference }, control, partner }: PartnerSubject<{ reference: string }>,
) =>
  (await listDocuments(control, 0, partner)).find((document) => document.reference === reference);

const kindOf = (kind: PartnerDocument["kind"] | undefined): Value =>
  kind === undefined ? NONE : { word: kind === "other" ? "other_document" : kind };

/** A document on file about a partner from now on. */
export const describeDocument: Describe<
  Pick<PartnerDocument, "kind" | "reference"> & {
    readonly document_sha256: string;
    readonly issued_on: string;
    readonly valid_until: string | undefined;
  }
> = ofPartner(async (subject) => {
  const { kind, reference, document_sha256, issued_on, valid_until } = subject.input;
  const before = await documentOf(subject);
  const isKnown = before !== undefined;
  return [
    line("document", { text: reference }),
    set("document_kind", isKnown, kindOf(before?.kind), kindOf(kind)),
    set("document_sha256", isKnown, textOf(before?.sha256), { text: document_sha256 }),
    set("issued_on", isKnown, textOf(before?.issuedOn), { text: issued_on }),
    set("last_day", isKnown, textOf(before?.validUntil), textOf(valid_until)),
  ];
});

/** A document that is on file no more. */
export const describeNoDocument: Describe<{ readonly reference: string }> = ofPartner(
  async (subject) => {
    const before = await documentOf(subject);
    return [
      line("document", { text: subject.input.reference }),
      line("document_kind", kindOf(before?.kind)),
      line("document_sha256", textOf(before?.sha256)),
      line("last_day", textOf(before?.validUntil)),
    ];
  },
);
