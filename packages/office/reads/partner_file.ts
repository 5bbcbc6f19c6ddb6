import { CONTACT, PARTNER_DOCUMENT } from "../wire/mod.ts";
import { names, PARTNER, REFERENCE, STATUS } from "./columns.ts";
import { OF_PARTNER } from "./filters.ts";
import { PARTNER_PATH } from "./of_partner.ts";
import { type Read, whole } from "./read.ts";

/** Whom to call at a partner. */
export const PARTNERS_CONTACTS = whole({
  path: `${PARTNER_PATH}/contacts`,
  act: "partner.read",
  summary: "Whom to call at a partner",
  form: CONTACT,
  columns: {
    name: { head: "NAME", en: "Name", ar: "الاسم" },
    role: { head: "ROLE", en: "Role", ar: "الدور" },
    telephone: { head: "TELEPHONE", en: "Telephone", ar: "الهاتف" },
    mail: { head: "MAIL", en: "Mail", ar: "البريد الإلكتروني" },
  },
  command: {
    noun: "partner contact",
    verb: "list",
    brief: "List whom to call at a partner",
    examples: ["partner contact list --partner bank-one"],
  },
  async find({ database: { sql }, path }) {
    const { findPartner } = await import("@sabika/service/partners");
    const { listContacts } = await import("../partners/contacts.ts");
    const partner = await findPartner(sql, path["partner"]!);
    return partner && await listContacts(sql, partner.partnerId);
  },
});

/** Documents on file about partners. */
export const DOCUMENTS = whole({
  path: "/partner-documents",
  act: "partner.read",
  summary: "Documents on file about partners, the first to end first; `due`: ending or ended",
  filters: {
    client_id: OF_PARTNER,
    state: {
      values: ["valid", "ending", "ended", "due"],
      flag: { name: "state", brief: "In this state; due: ending or ended" },
    },
  },
  form: PARTNER_DOCUMENT,
  columns: {
    client_id: PARTNER,
    kind: { head: "KIND", en: "Kind", ar: "النوع" },
    reference: REFERENCE,
    state: { ...STATUS, head: "STATE" },
    issued_on: { head: "ISSUED", en: "Issued on", ar: "تاريخ الإصدار" },
    valid_until: { head: "LAST DAY", en: "Last day (Riyadh)", ar: "آخر يوم (الرياض)" },
    sha256: { head: null, en: "SHA-256", ar: "SHA-256" },
  },
  page: {
    path: "/documents",
    columns: names("reference, client_id, kind, state, issued_on, valid_until, sha256"),
    caption: {
      en: "Partners' documents, the first to end first",
      ar: "مستندات الشركاء، الأقرب انتهاءً أولًا",
    },
    nothing: { en: "No documents like this.", ar: "لا مستندات كهذه." },
  },
  command: {
    noun: "partner document",
    verb: "list",
    brief: "List the documents on file about partners",
    examples: ["partner document list --partner bank-one", "partner document list --state due"],
  },
  async find({ database: { sql }, now, filter: { client_id: clientId, state } }) {
    const { listDocuments } = await import("../partners/documents.ts");
    const all = await listDocuments(sql, now(), clientId === undefined ? {} : { clientId });
    if (state === "due") return all.filter((document) => document.state !== "valid");
    return all.filter((document) => state === undefined || document.state === state);
  },
});

/** Reads of what is on file about partners. */
export const PARTNER_FILE_READS: readonly Read[] = [PARTNERS_CONTACTS, DOCUMENTS];
