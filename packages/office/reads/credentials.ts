import { REQUESTED_CREDENTIAL_STATUSES } from "@sabika/protocol";
import {
  ASKED_CREDENTIAL,
  ATTESTATION_KEY,
  AUTHORITY,
  CREDENTIAL,
  RECEIPT_KEY,
  TOKEN_KEY,
} from "../wire/mod.ts";
import { type Column, CREATED, names, PARTNER, REASON, STATUS } from "./columns.ts";
import { OF_PARTNER } from "./filters.ts";
import { PARTNER_PATH } from "./of_partner.ts";
import { type Read, whole } from "./read.ts";

const CREDENTIAL_COLUMNS: Readonly<Record<string, Column>> = {
  client_id: PARTNER,
  kind: { en: "Credential", ar: "بيانات الاعتماد" },
  id: { en: "Id", ar: "المعرّف" },
  state: STATUS,
  valid_from: { en: "Begins (Riyadh)", ar: "يبدأ (الرياض)" },
  valid_until: { en: "Ends (Riyadh)", ar: "تنتهي (الرياض)" },
  scope: { en: "Allows", ar: "يتيح" },
};

/** All partners' credentials, ended ones too, oldest first; those that end soon by their end. */
export const CREDENTIALS = whole({
  path: "/credentials",
  act: "credential.read",
  summary: "All partners' credentials, ended ones too; `ending`: in force for 30 days at most",
  filters: { client_id: OF_PARTNER, state: { values: ["active", "ending", "ended", "revoked"] } },
  form: CREDENTIAL,
  columns: CREDENTIAL_COLUMNS,
  page: {
    path: "/credentials",
    columns: names("client_id, kind, valid_until, state, id, valid_from, scope"),
    file: names("client_id, kind, id, state, valid_from, valid_until, scope"),
    caption: { en: "Credentials", ar: "بيانات الاعتماد" },
    nothing: { en: "No credentials like this.", ar: "لا بيانات اعتماد كهذه." },
  },
  async find({ database: { sql }, now, filter: { client_id: clientId, state } }) {
    const { listCredentials, listEndingCredentials } = await import("@sabika/service/partners");
    const of = clientId === undefined ? {} : { clientId };
    if (state === "ending") return await listEndingCredentials(sql, now(), of);
    const all = await listCredentials(sql, now(), of);
    return all.filter((found) => state === undefined || found.state === state);
  },
});

/** A partner's credentials, ended ones too, oldest first. */
export const PARTNERS_CREDENTIALS = whole({
  path: `${PARTNER_PATH}/credentials`,
  act: "credential.read",
  summary: "A partner's credentials, ended ones too",
  form: CREDENTIAL,
  columns: CREDENTIAL_COLUMNS,
  async find({ database: { sql }, now, path }) {
    const { listCredentials } = await import("@sabika/service/partners");
    return await listCredentials(sql, now(), { clientId: path["partner"]! });
  },
});

/** What partners ask for of certificates and signing keys (Decision D120). */
export const ASKED_CREDENTIALS = whole({
  path: "/credential-requests",
  act: "credential.read",
  summary: "Partners' requests for certificates and signing keys, newest first",
  filters: {
    status: {
      values: REQUESTED_CREDENTIAL_STATUSES,
      flag: { name: "status", brief: "In this state" },
    },
  },
  form: ASKED_CREDENTIAL,
  columns: {
    id: { head: "REQUEST", en: "Request", ar: "الطلب" },
    client_id: PARTNER,
    kind: { head: "KIND", en: "Credential", ar: "بيانات الاعتماد" },
    status: STATUS,
    created_at: CREATED,
    key_id: { head: "NEW KEY", en: "New key (thumbprint)", ar: "المفتاح الجديد (البصمة)" },
    signed_by: { head: null, en: "Signed with the key", ar: "موقَّع بالمفتاح" },
    replaces: { head: null, en: "Replaces", ar: "يحل محل" },
    overlap_seconds: { head: null, en: "Overlap (seconds)", ar: "التداخل (بالثواني)" },
    decided_at: { head: null, en: "Decided (Riyadh)", ar: "وقت البت (الرياض)" },
    replaced_ends_at: { head: null, en: "The old one ends (Riyadh)", ar: "تنتهي القديمة (الرياض)" },
    reason: REASON,
    csr: { head: null },
  },
  page: {
    path: "/credential-requests",
    columns: names("created_at, client_id, kind, status, key_id, id"),
    file: names(
      "id, client_id, kind, status, key_id, signed_by, replaces, overlap_seconds, created_at, " +
        "decided_at, replaced_ends_at, reason",
    ),
    caption: { en: "Requests, newest first", ar: "الطلبات، الأحدث أولًا" },
    nothing: { en: "No requests like this.", ar: "لا طلبات كهذه." },
  },
  command: {
    noun: "credential-request",
    verb: "list",
    brief: "List what partners ask for of certificates and signing keys",
    examples: ["credential-request list --status pending"],
  },
  async find({ database: { sql }, filter: { status } }) {
    const { listAskedCredentials } = await import("@sabika/service/credentials");
    return await listAskedCredentials(sql, status);
  },
});

/** The certificate authorities in force. */
export const AUTHORITIES = whole({
  path: "/authorities",
  act: "authority.read",
  summary: "The authorities in force",
  form: AUTHORITY,
  columns: {
    name: { head: "AUTHORITY" },
    sha256: { head: "SHA-256" },
    valid_until: { head: "VALID UNTIL" },
  },
  async find({ database }) {
    const { listAuthorities } = await import("@sabika/service/deployment");
    return await listAuthorities(database);
  },
});

/** Keys of inspectors and auditors. */
export const ATTESTATION_KEYS = whole({
  path: "/attestation-keys",
  act: "attestation-key.read",
  summary: "All keys of inspectors and auditors that were ever registered, newest first",
  form: ATTESTATION_KEY,
  columns: {
    key_id: { head: "KEY ID", en: "Key (thumbprint)", ar: "المفتاح (البصمة)" },
    role: { head: "ROLE", en: "Role", ar: "الصفة" },
    holder: { head: "HOLDER", en: "Holder", ar: "صاحبه" },
    valid_from: { head: "VALID FROM", en: "Since (Riyadh)", ar: "منذ (الرياض)" },
    valid_until: { head: "VALID UNTIL", en: "Ended (Riyadh)", ar: "انتهى (الرياض)" },
  },
  page: {
    path: "/attestation-keys",
    columns: names("holder, role, key_id, valid_from, valid_until"),
    file: names("key_id, role, holder, valid_from, valid_until"),
    caption: { en: "Keys, newest first", ar: "المفاتيح، الأحدث أولًا" },
    nothing: { en: "No key is registered yet.", ar: "لم يُسجّل مفتاح بعد." },
  },
  command: {
    noun: "attestation-key",
    verb: "list",
    brief: "List the keys of inspectors and auditors, ended ones too",
    examples: ["attestation-key list"],
  },
  async find({ database: { sql } }) {
    const { readAttestationKeys } = await import("@sabika/service/vault");
    return await readAttestationKeys(sql);
  },
});

/** Reads of partners' credentials, and of the service's own keys and authorities. */
export const CREDENTIAL_READS: readonly Read[] = [
  PARTNERS_CREDENTIALS,
  CREDENTIALS,
  ASKED_CREDENTIALS,
  whole({
    path: "/token-keys",
    act: "token-key.read",
    summary: "The keys for access tokens that have not ended, newest first",
    form: TOKEN_KEY,
    columns: {
      key_id: { head: "KEY ID" },
      state: { head: "STATE" },
      signs_from: { head: "SIGNS FROM" },
      verifies_until: { head: "VERIFIES UNTIL" },
    },
    command: {
      noun: "token-key",
      verb: "show",
      brief: "Show the keys that access tokens are signed and verified with; never a private key",
      examples: ["token-key show"],
    },
    async find({ database: { sql }, now }) {
      const { listTokenKeys } = await import("@sabika/identity/tokens");
      return await listTokenKeys(sql, now());
    },
  }),
  whole({
    path: "/receipt-keys",
    act: "receipt-key.read",
    summary: "All keys that ever signed receipts, newest first",
    form: RECEIPT_KEY,
    columns: {
      key_id: { head: "KEY ID" },
      signs_from: { head: "SIGNS FROM" },
      ends: { head: "ENDS" },
    },
    command: {
      noun: "receipt-key",
      verb: "show",
      brief: "Show the keys that receipts are signed and verified with; never a private key",
      examples: ["receipt-key show"],
    },
    async find({ database: { sql } }) {
      const { readReceiptKeys } = await import("@sabika/identity/receipts");
      return await readReceiptKeys(sql);
    },
  }),
  ATTESTATION_KEYS,
  AUTHORITIES,
];
