import { encodeUtf8, refuse, sha256Hex } from "@sabika/protocol";
import { eq, sql as expression } from "drizzle-orm";
import { drizzle, type Transaction } from "@sabika/database";
import { contentOf, type SignedAct } from "@sabika/identity/signatures";
import {
  acts,
  type AdminContext,
  findSigner,
  type PersonsWarrant,
  signedActOf,
  type Signer,
  writeAudit,
} from "@sabika/service/audit";
import { endNotification, notify } from "@sabika/service/notifications";
import { type AdminOutcome, type AdminRefusal, isActName, mayDo, UUID } from "@sabika/terms";
import { type ApprovalRule, mayDecide, readApprovalPolicy, ruleOf } from "./approval_rules.ts";
import { isReason } from "./bookings/withdrawals.ts";
import { type CarriedName, isForRequester } from "./catalogue.ts";
import { asDossier } from "./dossier/check_dossier.ts";
import { type Dossier, firstDifference, type Line, textOf } from "./dossier/line.ts";
import { refuseOther } from "./refuse_other.ts";
import { writeDifference } from "./dossier/write_line.ts";
import { describeDecision } from "./read_dossier.ts";
import { readFacts } from "./read_facts.ts";
import { approvals } from "./tables.ts";

/**
 * A request that waits: `waiting` is its id, a UUID; `untilMs` is when it expires, epoch milliseconds.
 * `isForRequester`: once approved, its requester asks for the same again to have it done.
 */
export interface Waiting {
  readonly waiting: string;
  readonly untilMs: number;
  readonly approvers: ApprovalRule["approvers"];
  readonly isForRequester: boolean;
}

/** Records an act that waits for a second person; refuses if its facts cannot be read now. */
export async function requestApproval(
  admin: AdminContext & { transaction: Transaction },
  warrant: PersonsWarrant,
  rule: ApprovalRule,
): Promise<AdminOutcome<Waiting>> {
  const sql = admin.transaction;
  const { id, name, argumentsText } = warrant.signed;
  const { waitSeconds } = await readApprovalPolicy(sql);
  const facts = await readFacts(admin, name, argumentsText);
  if (!facts.ok) return facts;
  await writeAudit(sql, admin, "approval.request", null, {
    name,
    arguments: argumentsText,
    facts_sha256: await sha256Hex(encodeUtf8(textOf(facts.value))),
  });
  // By the database's clock, which also judges whether an approval is in time.
  const [row] = await drizzle(sql).insert(approvals).values({
    requestId: id,
    requesterId: warrant.operatorId,
    requestedFrom: admin.actor.from,
    facts: textOf(facts.value),
    requestedAt: expression`clock_timestamp()`,
    expiresAt: expression`clock_timestamp() + make_interval(secs => ${waitSeconds})`,
  }).returning();
  const { approvers } = rule;
  await notify(
    sql,
    { kind: "approval_waiting", subject: id, facts: { act: name, person: admin.actor.who } },
    { roles: approvers, except: warrant.operatorId },
    { lasts: true },
  );
  const isTheirs = isForRequester(name as CarriedName, argumentsText);
  const value = { waiting: id, untilMs: row!.expiresAt, approvers, isForRequester: isTheirs };
  return { ok: true, value };
}

/**
 * A decision that was made: done, with the act's result; approved, for the requester to finish; rejected;
 * or void, with the reason.
 */
export type Decided =
  | { readonly state: "approved" }
  | { readonly state: "done"; readonly value: unknown }
  | { readonly state: "rejected" }
  | {
    readonly state: "void";
    readonly reason: string;
    /** The fact that changed, if that is the reason. */
    readonly difference?: Line;
  };

interface Decision {
  readonly request: string;
  readonly person: Signer;
  readonly warrant: PersonsWarrant;
  /** The decision's own, if it was signed with one. */
  readonly dossier: Dossier | undefined;
}

/**
 * Carries out an act that somebody else requested, once, or lets them finish it; or voids the request, if the requester may not do
 * the act any more or its facts have changed. A refusal leaves the request as it was.
 *
 * @param decision.sha256 the hash that the second person approves: {@linkcode contentOf} the request
 * @param carryOut carries out the act in the requester's name, in this transaction
 */
export async function approve<CONTEXT extends AdminContext>(
  admin: CONTEXT & { transaction: Transaction },
  { sha256, ...decision }: Decision & { sha256: string },
  carryOut: (
    admin: CONTEXT & { transaction: Transaction },
    signed: SignedAct,
  ) => Promise<AdminOutcome<unknown>>,
): Promise<AdminOutcome<Decided>> {
  const { request, person } = decision;
  const sql = admin.transaction;
  const found = await lockWaiting(sql, request);
  if (!found.ok) return found;
  const { approval, signed, signer } = found.value;
  if (approval.requesterId === person.operatorId) {
    return refuse("not_permitted", `"${person.name}" asked for it: somebody else approves it`);
  }
  const refusal = await refuseDecider(sql, signed, person);
  if (refusal !== undefined) return refusal;
  if (await contentOf(admin.environment, signed) !== sha256) {
    return refuse("invalid_state", "what is approved is not what was asked for");
  }
  const facts = await readFacts(admin, signed.name, signed.argumentsText);
  if (!facts.ok) return facts;
  const ended = whyBarred(signer, signed.name) ?? whyChanged(approval.facts, facts.value);
  if (ended !== undefined) {
    await writeAudit(sql, admin, "approval.void", null, { request, reason: ended.reason });
    await endRequest(sql, found.value, decision, "void", ended.reason);
    return { ok: true, value: { state: "void", ...ended } };
  }
  const untrue = await refuseUntrue(admin, "approval.approve", decision, facts.value);
  if (untrue !== undefined) return untrue;
  if (isForRequester(signed.name as CarriedName, signed.argumentsText)) {
    await writeAudit(sql, admin, "approval.approve", null, { request, sha256 });
    await endRequest(sql, found.value, decision, "approved");
    return { ok: true, value: { state: "approved" } };
  }
  const from = `${approval.requestedFrom}, approved by ${person.name}`;
  const { operatorId, name: who, key: { keyId } } = signer;
  const outcome = await carryOut({
    ...admin,
    actor: { who, from },
    warrant: { signed, operatorId, keyId, isRecorded: true },
  }, signed);
  if (!outcome.ok) return outcome;
  await writeAudit(sql, admin, "approval.approve", null, { request, sha256 });
  await endRequest(sql, found.value, decision, "done");
  return { ok: true, value: { state: "done", value: outcome.value } };
}

/** Ends a request without carrying it out; its requester may withdraw it in this way. */
export async function reject(
  admin: AdminContext & { transaction: Transaction },
  decision: Decision & { reason: string },
): Promise<AdminOutcome<Decided>> {
  const { request, reason, person } = decision;
  const sql = admin.transaction;
  if (!isReason(reason)) {
    return refuse("invalid_setting", "say in 1 to 256 characters why it is rejected");
  }
  const found = await lockWaiting(sql, request);
  if (!found.ok) return found;
  const { approval, signed } = found.value;
  const refusal = approval.requesterId === person.operatorId
    ? undefined
    : await refuseDecider(sql, signed, person);
  if (refusal !== undefined) return refusal;
  const untrue = await refuseUntrue(admin, "approval.reject", decision);
  if (untrue !== undefined) return untrue;
  await writeAudit(sql, admin, "approval.reject", null, { request, reason });
  await endRequest(sql, found.value, decision, "rejected", reason);
  return { ok: true, value: { state: "rejected" } };
}

async function lockWaiting(sql: Transaction, request: string) {
  const [approval] = UUID.test(request)
    ? await drizzle(sql).select().from(approvals).where(eq(approvals.requestId, request))
      .for("no key update")
    : [];
  if (approval === undefined) return refuse("not_found", `there is no request ${request}`);
  if (approval.state !== "waiting") {
    return refuse("invalid_state", `the request is ${approval.state} already`);
  }
  const [row] = await sql<{ late: boolean }[]>`
    select clock_timestamp() >= ${new Date(approval.expiresAt).toISOString()}::timestamptz as late`;
  if (row!.late) return refuse("invalid_state", "the request has waited too long: ask again");
  const [act] = await drizzle(sql).select().from(acts).where(eq(acts.actId, request));
  const signer = (await findSigner(sql, { keyId: act!.keyId }))!;
  return { ok: true as const, value: { approval, signed: signedActOf(act!), signer } };
}

/** Returns the refusal for a person who may not decide by the rule in force; undefined when they may. */
async function refuseDecider(
  sql: Transaction,
  { name }: SignedAct,
  { name: who, roles }: Signer,
): Promise<AdminRefusal | undefined> {
  return mayDecide(roles, name, await ruleOf(sql, name))
    ? undefined
    : refuse("not_permitted", `no role of "${who}" decides on ${name}`);
}

/** The refusal of a decision that was signed over another dossier than the request's; undefined if it is that. */
async function refuseUntrue(
  { transaction: sql, ...admin }: AdminContext & { transaction: Transaction },
  name: "approval.approve" | "approval.reject",
  { dossier, request, reason }: Decision & { reason?: string },
  facts?: Dossier,
): Promise<AdminRefusal | undefined> {
  if (dossier === undefined) return undefined;
  const now = await describeDecision({ ...admin, sql }, name, { request, reason }, facts);
  return now.ok ? refuseOther(dossier, now.value) : now;
}

/** Why a request is void, if a fact is not as it was when it was made (Decision D96). */
function whyChanged(
  kept: string,
  now: Dossier,
): { reason: string; difference?: Line } | undefined {
  if (kept === textOf(now)) return undefined;
  const before = asDossier(JSON.parse(kept));
  const difference = before && firstDifference(before, now);
  return difference === undefined
    ? { reason: "it was requested from an earlier release: request it again" }
    : { reason: `${writeDifference(difference)} since this was requested`, difference };
}

/** Returns why the requester may not do the act any more; undefined when they may. */
function whyBarred(
  { enabled, roles, key, name: who }: Signer,
  name: string,
): { reason: string } | undefined {
  if (!enabled) return { reason: `"${who}" is disabled` };
  if (key.validUntilMs !== null) {
    return { reason: `the key of "${who}" that signed it has ended` };
  }
  return isActName(name) && mayDo(roles, name)
    ? undefined
    : { reason: `no role of "${who}" opens ${name}` };
}

/** Longer reasons are shortened where people are told of them. */
const REASON_MOST = 1_000;

/** Ends a request, and tells its requester if somebody else decided. */
async function endRequest(
  sql: Transaction,
  { approval: { requestId, requesterId }, signed }: {
    approval: typeof approvals.$inferSelect;
    signed: SignedAct;
  },
  { person, warrant }: Pick<Decision, "person" | "warrant">,
  state: Decided["state"],
  reason?: string,
): Promise<void> {
  const isApproved = state === "approved" || state === "done";
  await drizzle(sql).update(approvals).set({
    state: state === "approved" ? "done" : state,
    decisionId: warrant.signed.id,
    deciderId: person.operatorId,
    decidedAt: expression`clock_timestamp()`,
    reason: reason ?? null,
  }).where(eq(approvals.requestId, requestId));
  await endNotification(sql, "approval_waiting", requestId, { isMoot: true });
  await notify(
    sql,
    {
      kind: isApproved ? "approval_done" : "approval_refused",
      subject: requestId,
      facts: {
        act: signed.name,
        person: person.name,
        state,
        reason: reason?.slice(0, REASON_MOST) ?? null,
      },
    },
    { operatorId: requesterId, except: person.operatorId },
    { lasts: false },
  );
}
