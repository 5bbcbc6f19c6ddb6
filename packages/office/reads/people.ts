import { UUID } from "@sabika/terms";
import { ACT_OUTCOME, APPROVAL, AUDIT_HEAD, OPERATOR, POLICY, SIGNED_ENTRY } from "../wire/mod.ts";
import { names, PARTNER, REASON, STATUS } from "./columns.ts";
import { OF_PARTNER } from "./filters.ts";
import { numberOf } from "./merge.ts";
import { paged, type Read, single, whole } from "./read.ts";

/** Acts that wait for a second person, newest first; with `state=all` also those that waited. */
export const APPROVALS = whole({
  path: "/approvals",
  act: "approval.read",
  summary:
    "What waits for a second person, or for the person `for`; with `state=all` what was decided too",
  filters: { state: { values: ["waiting", "all"] }, for: {} },
  form: APPROVAL,
  columns: {
    id: { head: "ID" },
    act: { head: "ACT", en: "Act", ar: "الإجراء" },
    arguments: { head: "ARGUMENTS", en: "As it was signed", ar: "كما وُقّع" },
    requester: { head: "ASKED BY", en: "Asked by", ar: "طلبه" },
    requested_at: { head: null, en: "Asked (Riyadh)", ar: "طُلب (الرياض)" },
    expires_at: { head: "UNTIL", en: "Until (Riyadh)", ar: "حتى (الرياض)" },
    state: { ...STATUS, head: "STATE" },
    decider: { head: "DECIDED BY", en: "Decided by", ar: "قرّره" },
    reason: REASON,
  },
  page: {
    path: "/approvals",
    columns: names("act, arguments, requester, requested_at, expires_at, state, decider, reason"),
    file: names(`id, act, arguments, requester, requested_at, expires_at, state, decider,
      decided_at, reason`),
    caption: { en: "Approvals", ar: "الموافقات" },
    nothing: { en: "No request waits for a second person.", ar: "لا طلب ينتظر شخصًا ثانيًا." },
  },
  async find({ database: { sql }, environment, now, query: { limit }, filter }) {
    const { listApprovals, listApprovalsFor } = await import("../acts/read_approvals.ts");
    const name = filter["for"];
    if (name !== undefined) {
      const { listOperators } = await import("@sabika/service/audit");
      const [person] = await listOperators(sql, name);
      const page = { nowMs: now(), limit };
      return person && await listApprovalsFor(sql, await environment(), person, page);
    }
    const state = filter["state"] === "all" ? "all" : "waiting";
    return await listApprovals(sql, await environment(), { nowMs: now(), state, limit });
  },
});

/** A request, decided or not. */
export const APPROVAL_WHOLE = single({
  path: "/approvals/{id}",
  act: "approval.read",
  summary: "A request, decided or not",
  form: APPROVAL,
  async find({ database: { sql }, environment, now, path }) {
    const id = path["id"]!;
    if (!UUID.test(id)) return undefined;
    const { listApprovals } = await import("../acts/read_approvals.ts");
    return (await listApprovals(sql, await environment(), { nowMs: now(), id }))[0];
  },
});

/** What became of an act, for the person who signed it and lost the answer. */
export const OWN_ACT = single({
  path: "/acts/{id}",
  act: "office.read",
  summary: "What became of an act of one's own, by its id; 404 when nothing was done under it",
  form: ACT_OUTCOME,
  columns: {
    name: { head: "ACT" },
    state: { head: "STATE" },
    reason: { head: "REASON" },
    until: { head: "UNTIL" },
  },
  async find({ database: { sql }, environment, who, now, path }) {
    const id = path["id"]!;
    if (!UUID.test(id)) return undefined;
    const { listOperators } = await import("@sabika/service/audit");
    const { findActOutcome } = await import("../acts/find_act_outcome.ts");
    const [person] = await listOperators(sql, who);
    if (person === undefined) return undefined;
    const { operatorId } = person;
    return await findActOutcome(sql, await environment(), { id, operatorId, nowMs: now() });
  },
});

/** The rules by which acts need two people. */
export const APPROVAL_POLICY = single({
  path: "/policy",
  act: "policy.read",
  summary: "What needs two people",
  form: POLICY,
  async find({ database: { sql } }) {
    const { readApprovalPolicy } = await import("../acts/approval_rules.ts");
    return await readApprovalPolicy(sql);
  },
});

/** Everybody who acts for the operator. */
export const OPERATORS = whole({
  path: "/operators",
  act: "operator.read",
  summary: "All people, their roles and keys",
  form: OPERATOR,
  columns: {
    name: { head: "NAME", en: "Name", ar: "الاسم" },
    enabled: { head: "ENABLED", en: "State", ar: "الحالة" },
    roles: { head: "ROLES", en: "Roles", ar: "الأدوار" },
    keys: { en: "Keys", ar: "المفاتيح" },
    key_ids: { from: "keys.key_id" },
    created_at: { en: "Added (Riyadh)", ar: "أُضيفت (الرياض)" },
  },
  page: {
    path: "/people",
    columns: names("name, enabled, roles, keys, created_at"),
    file: names("name, enabled, roles, key_ids, created_at"),
    caption: { en: "People", ar: "الأشخاص" },
    nothing: { en: "None", ar: "لا شيء" },
  },
  async find({ database: { sql } }) {
    const { listOperators } = await import("@sabika/service/audit");
    return await listOperators(sql);
  },
});

/** The audit log, newest first. */
export const AUDIT = paged({
  path: "/audit",
  act: "audit.read",
  summary: "The audit log, newest first; of `client_id` alone",
  by: "period",
  filters: { client_id: OF_PARTNER, who: {}, action: {} },
  form: SIGNED_ENTRY,
  columns: {
    id: { head: "NUMBER", en: "No.", ar: "الرقم", from: "sequence" },
    at: { head: "AT", en: "Time (Riyadh)", ar: "الوقت (الرياض)" },
    who: { head: "WHO", en: "Who", ar: "من" },
    from: { head: "FROM", en: "From", ar: "من أين" },
    action: { head: "ACTION", en: "Act", ar: "الإجراء" },
    client_id: PARTNER,
    detail: { head: "DETAIL", en: "Detail", ar: "التفاصيل" },
    signature: { en: "Signed", ar: "موقّع" },
    key_id: { from: "signature.key_id" },
    signature_fits: { from: "signature.fits" },
  },
  page: {
    path: "/audit",
    columns: names("id, at, who, signature, action, client_id, from, detail"),
    file: names("id as number, at, who, action, client_id, from, key_id, signature_fits, detail"),
    caption: { en: "Audit log", ar: "سجل التدقيق" },
    nothing: { en: "None", ar: "لا شيء" },
  },
  async find({ database: { sql }, environment, query, filter }) {
    const { listAudit, readSignatures } = await import("@sabika/service/audit");
    const { limit, cursor, createdFromMs: fromMs, createdToMs: toMs } = query;
    const found = await listAudit(sql, {
      limit: limit + 1,
      beforeId: numberOf(cursor),
      fromMs,
      toMs,
      clientId: filter["client_id"],
      who: filter["who"],
      action: filter["action"],
    });
    const entries = found.slice(0, limit);
    // A database that was only migrated has unsigned entries, and no environment yet.
    const signatures = entries.some(({ detail }) => "act" in detail)
      ? await readSignatures(sql, await environment(), entries)
      : undefined;
    const data = entries.map((entry) => ({
      ...entry,
      signature: signatures?.get(entry.auditId) ?? null,
    }));
    return { data, next: found.length > limit ? String(data.at(-1)!.auditId) : undefined };
  },
});

/** The last entry's number and hash. */
export const AUDIT_LOG_HEAD = single({
  path: "/audit/head",
  act: "audit.read",
  summary: "The last entry's number and hash",
  form: AUDIT_HEAD,
  async find({ database: { sql } }) {
    const { readAuditHead } = await import("@sabika/service/audit");
    return await readAuditHead(sql);
  },
});

/** An entry of the audit log; its signature is verified for each answer. */
export const AUDIT_LOG_ENTRY = single({
  path: "/audit/{id}",
  act: "audit.read",
  summary: "An entry of the audit log by its number, its signature verified now",
  form: SIGNED_ENTRY,
  async find({ database: { sql }, environment, path }) {
    const id = path["id"]!;
    if (!/^[1-9][0-9]{0,14}$/.test(id)) return undefined;
    const { readAuditEntry } = await import("@sabika/service/audit");
    return await readAuditEntry(sql, await environment(), BigInt(id));
  },
});

/** Reads of people, approvals and the audit log. */
export const PEOPLE_READS: readonly Read[] = [
  APPROVALS,
  APPROVAL_WHOLE,
  OWN_ACT,
  APPROVAL_POLICY,
  OPERATORS,
  AUDIT,
  AUDIT_LOG_HEAD,
  // After the head, whose path would match this one's.
  AUDIT_LOG_ENTRY,
];
