import type { Environment } from "@sabika/protocol";
import { and, desc, eq, gt, or, sql as expression } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import { type AnySql, drizzle } from "@sabika/database";
import { contentOf } from "@sabika/identity/signatures";
import { acts, operators, signedActOf } from "@sabika/service/audit";
import { mayDo, type Role } from "@sabika/terms";
import { mayDecide, readApprovalPolicy } from "./approval_rules.ts";
import { asDossier } from "./dossier/check_dossier.ts";
import { type Dossier, splitArguments } from "./dossier/line.ts";
import { approvals } from "./tables.ts";

/** An act that waits for a second person, or waited; decider, time and reason are null where it has none. */
export interface Approval {
  /** The act's id. */
  readonly id: string;
  readonly act: string;
  /** Without the dossier. */
  readonly arguments: Readonly<Record<string, unknown>>;
  /** The facts that the office found when it was requested (Decision D96); null for one from before dossiers. */
  readonly dossier: Dossier | null;
  readonly requester: string;
  readonly requestedAtMs: number;
  readonly expiresAtMs: number;
  /** The facts that it was requested on, as JSON text. */
  readonly facts: string;
  /**
   * `approved`: its requester asks for the same again to have it done. `expired`: nobody decided, or
   * nobody finished it, in time. `void`: its facts or the requester's rights changed.
   */
  readonly state: "waiting" | "approved" | "expired" | "done" | "rejected" | "void";
  readonly decider: string | null;
  readonly decidedAtMs: number | null;
  readonly reason: string | null;
  /** The hash that a second person signs: SHA-256, lower-case hex, of what the requester signed. */
  readonly sha256: string;
}

/**
 * Lists requests, newest first: those not done, those that can still be decided, all, or the one with an id; 1000 at
 * most by default.
 */
export async function listApprovals(
  sql: AnySql,
  environment: Environment,
  filter: { nowMs: number; state?: "waiting" | "undecided" | "all"; id?: string; limit?: number },
): Promise<Approval[]> {
  const decider = alias(operators, "decider");
  // NOT EXISTS would have the planner read the whole audit log into a hash table.
  const isApproved = expression`(${approvals.state} = 'done' and (select true
    from audit_log where act_id = ${acts.actId} and action = ${acts.name} limit 1) is null)`;
  const rows = await drizzle(sql)
    .select({
      approval: approvals,
      act: acts,
      requester: operators.name,
      decider: decider.name,
      isApproved: expression<boolean>`${isApproved}`,
    })
    .from(approvals)
    .innerJoin(acts, eq(acts.actId, approvals.requestId))
    .innerJoin(operators, eq(operators.operatorId, approvals.requesterId))
    .leftJoin(decider, eq(decider.operatorId, approvals.deciderId))
    .where(
      filter.id !== undefined
        ? eq(approvals.requestId, filter.id)
        : filter.state === "all"
        ? undefined
        : filter.state === "undecided"
        ? and(eq(approvals.state, "waiting"), gt(approvals.expiresAt, filter.nowMs))
        : or(eq(approvals.state, "waiting"), isApproved),
    )
    .orderBy(desc(approvals.requestedAt)).limit(filter.limit ?? 1_000);
  return await Promise.all(rows.map(async ({ approval, act, requester, decider, isApproved }) => ({
    id: act.actId,
    act: act.name,
    ...namedArguments(act.arguments, approval.facts),
    requester,
    requestedAtMs: approval.requestedAt,
    expiresAtMs: approval.expiresAt,
    facts: approval.facts,
    state: approval.state !== "waiting" && !isApproved
      ? approval.state
      : approval.expiresAt <= filter.nowMs
      ? "expired" as const
      : isApproved
      ? "approved" as const
      : "waiting" as const,
    decider,
    decidedAtMs: approval.decidedAt,
    reason: approval.reason,
    sha256: await contentOf(environment, signedActOf(act)),
  })));
}

function namedArguments(text: string, facts: string): Pick<Approval, "arguments" | "dossier"> {
  const { input } = splitArguments(JSON.parse(text));
  return { arguments: input, dossier: asDossier(JSON.parse(facts)) ?? null };
}

/** Lists the requests that wait for a decision which a person's roles permit, without their own. */
export async function listApprovalsFor(
  sql: AnySql,
  environment: Environment,
  { name, roles }: { readonly name: string; readonly roles: readonly Role[] },
  filter: { nowMs: number; limit?: number },
): Promise<Approval[]> {
  if (!mayDo(roles, "approval.approve")) return [];
  const [requests, { rules }] = await Promise.all([
    listApprovals(sql, environment, { ...filter, state: "undecided" }),
    readApprovalPolicy(sql),
  ]);
  const ruleOf = (act: string) => rules.find((rule) => rule.act === act);
  return requests.filter(({ state, requester, act }) =>
    state === "waiting" && requester !== name && mayDecide(roles, act, ruleOf(act))
  );
}
