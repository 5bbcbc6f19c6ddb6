import { parseDecimal, refuse } from "@sabika/protocol";
import { eq } from "drizzle-orm";
import { type AnySql, drizzle } from "@sabika/database";
import { type AdminContext, inTransaction, office, writeAudit } from "@sabika/service/audit";
import { type AdminOutcome, type Role, ROLES } from "@sabika/terms";
import { approvalRules } from "./tables.ts";

/** A rule: when an act needs a second person (Decision D81), and which roles may approve it. */
export interface ApprovalRule {
  readonly act: string;
  /** The rule applies when any of these holds, such as `amount_sar above 100000`; without any, always. */
  readonly conditions: readonly string[];
  readonly approvers: readonly Role[];
}

/** The rules, and how many seconds a request waits for a second person. */
export interface ApprovalPolicy {
  readonly rules: readonly ApprovalRule[];
  readonly waitSeconds: number;
}

/** Reads the policy in force. */
export async function readApprovalPolicy(sql: AnySql): Promise<ApprovalPolicy> {
  const rules = await drizzle(sql).select().from(approvalRules).orderBy(approvalRules.act);
  const [row] = await drizzle(sql).select().from(office);
  return { rules, waitSeconds: row!.approvalSeconds };
}

/** Finds the rule by which an act with these arguments needs a second person; undefined for none. */
export async function findRule(
  sql: AnySql,
  act: string,
  values: Readonly<Record<string, unknown>>,
): Promise<ApprovalRule | undefined> {
  const [rule] = await drizzle(sql).select().from(approvalRules).where(eq(approvalRules.act, act));
  if (rule === undefined || rule.conditions.length === 0) return rule;
  return rule.conditions.some((condition) => readCondition(condition)!.holds(values))
    ? rule
    : undefined;
}

/**
 * Sets when an act needs a second person; refuses acts of the policy, wrong conditions and no approvers.
 *
 * @param names the arguments of the act, which conditions may name
 */
export function setRule(
  admin: AdminContext,
  { act, conditions, approvers }: ApprovalRule,
  names: readonly string[],
): Promise<AdminOutcome<null>> {
  return inTransaction(admin, async (sql) => {
    if (act.startsWith("policy.")) return refuse("invalid_state", ALWAYS_TWO);
    for (const condition of conditions) {
      const parsed = readCondition(condition);
      if (parsed !== undefined && names.includes(parsed.argument)) continue;
      return refuse(
        "invalid_setting",
        `"${condition}" is none of "ARGUMENT above 5", "ARGUMENT outside 1..5" and ` +
          `"ARGUMENT is TEXT" with an argument of ${names.join(", ")}`,
      );
    }
    if (approvers.length === 0 || approvers.some((role) => !ROLES.includes(role))) {
      return refuse("invalid_setting", `approvers are some of ${ROLES.join(", ")}`);
    }
    await drizzle(sql).insert(approvalRules).values({ act, conditions, approvers })
      .onConflictDoUpdate({ target: approvalRules.act, set: { conditions, approvers } });
    const detail = { rule: act, conditions: [...conditions], approvers: [...approvers] };
    await writeAudit(sql, admin, "policy.set", null, detail);
    return { ok: true, value: null };
  });
}

const ALWAYS_TWO = "the policy itself always needs two administrators";

/** Removes an act's rule, so that one person may do it; refuses acts of the policy or without a rule. */
export function removeRule(admin: AdminContext, act: string): Promise<AdminOutcome<null>> {
  return inTransaction(admin, async (sql) => {
    if (act.startsWith("policy.")) return refuse("invalid_state", ALWAYS_TWO);
    const removed = await drizzle(sql).delete(approvalRules).where(eq(approvalRules.act, act))
      .returning();
    if (removed.length === 0) return refuse("not_found", `${act} needs one person already`);
    await writeAudit(sql, admin, "policy.remove", null, { rule: act });
    return { ok: true, value: null };
  });
}

/** Sets how long a request waits for a second person, from a minute to 30 days. */
export function setWait(admin: AdminContext, seconds: number): Promise<AdminOutcome<null>> {
  return inTransaction(admin, async (sql) => {
    if (!(Number.isInteger(seconds) && seconds >= 60 && seconds <= 2_592_000)) {
      return refuse("invalid_setting", "a request waits from a minute to 30 days");
    }
    await drizzle(sql).update(office).set({ approvalSeconds: seconds });
    await writeAudit(sql, admin, "policy.time", null, { seconds });
    return { ok: true, value: null };
  });
}

interface Condition {
  argument: string;
  /** False when the argument was left out. */
  holds(values: Readonly<Record<string, unknown>>): boolean;
}

/** `amount_sar above 100000`, `spread_percent outside 0.1..2` or `source is fixed`. */
function readCondition(text: string): Condition | undefined {
  const [, argument = "", verb, value = ""] =
    /^([a-z_]{1,32}) (above|outside|is) (\S{1,64})$/.exec(text) ?? [];
  if (verb === "is") return { argument, holds: (values) => values[argument] === value };
  const bounds = verb === "above" ? [undefined, number(value)] : value.split("..").map(number);
  const [least, most] = bounds;
  if (verb === undefined || bounds.length !== 2 || most === undefined) return undefined;
  if (verb === "outside" && least === undefined) return undefined;
  return {
    argument,
    holds(values) {
      if (values[argument] === undefined) return false;
      const amount = number(String(values[argument]));
      // A value that cannot be compared needs a second person.
      return amount === undefined || amount > most || (least !== undefined && amount < least);
    },
  };
}

/** Reads a decimal text with at most 6 decimals, in millionths; undefined for any other text. */
function number(text: string): bigint | undefined {
  const parsed = parseDecimal(text, 6, 6);
  return parsed.ok ? parsed.value : undefined;
}
