import { parseDecimal, refuse } from "@sabika/protocol";
import { eq } from "drizzle-orm";
import { type AnySql, drizzle } from "@sabika/database";
import { type AdminContext, inTransaction, office, writeAudit } from "@sabika/service/audit";
import type { SignedAct } from "@sabika/identity/signatures";
import { type AdminOutcome, isActName, mayDo, type Role, ROLES } from "@sabika/terms";
import { approvalRules } from "./tables.ts";

/** A rule: when an act needs a second person (Decision D81), and which roles may approve it. */
export interface ApprovalRule {
  readonly act: string;
  /** The rule applies when any of these holds, such as `amount_sar above 100000`; without any, always. */
  readonly conditions: readonly string[];
  readonly approvers: readonly Role[];
}

/** The rules, how many seconds a request waits for a second person, and how many administrators stay. */
export interface ApprovalPolicy {
  readonly rules: readonly ApprovalRule[];
  readonly waitSeconds: number;
  /** No act of a person leaves fewer who are enabled and have a key. */
  readonly leastAdministrators: number;
}

/** Reads the policy in force. */
export async function readApprovalPolicy(sql: AnySql): Promise<ApprovalPolicy> {
  const rules = await drizzle(sql).select().from(approvalRules).orderBy(approvalRules.act);
  const [row] = await drizzle(sql).select().from(office);
  const { approvalSeconds: waitSeconds, leastAdministrators } = row!;
  return { rules, waitSeconds, leastAdministrators };
}

/**
 * Finds the rule by which a signed act needs a second person; undefined for none. The database judges it, and
 * counts acts at the same time one after another (Decision D87).
 */
export async function findRule(
  sql: AnySql,
  { signed: { id, name, argumentsText, signedAtMs }, operatorId }: {
    readonly signed: Omit<SignedAct, "signature">;
    readonly operatorId: number;
  },
): Promise<ApprovalRule | undefined> {
  const [rule] = await sql<ApprovalRule[]>`
    select * from find_rule(${id}::uuid, ${name}, ${argumentsText}::text::jsonb, ${operatorId}::integer,
      ${new Date(signedAtMs).toISOString()}::timestamptz)`;
  return rule;
}

/** Returns the rule of an act, whatever its conditions; undefined when it has none. */
export async function ruleOf(sql: AnySql, act: string): Promise<ApprovalRule | undefined> {
  const [rule] = await drizzle(sql).select().from(approvalRules).where(eq(approvalRules.act, act));
  return rule;
}

/**
 * Whether somebody with these roles decides on an act, by its rule; if that was removed meanwhile, those who may do the
 * act without approval decide.
 */
export function mayDecide(
  roles: readonly Role[],
  act: string,
  rule: ApprovalRule | undefined,
): boolean {
  return rule === undefined
    ? isActName(act) && mayDo(roles, act)
    : rule.approvers.some((role) => roles.includes(role));
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
    const wrong = conditions.find((condition) => !isCondition(condition, names));
    if (wrong !== undefined) {
      return refuse(
        "invalid_setting",
        `"${wrong}" is none of ${CONDITIONS} with an argument of ${names.join(", ")}`,
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

/** Sets how many administrators stay, 2 to 10; the database refuses more than there are. */
export function setLeastAdministrators(
  admin: AdminContext,
  least: number,
): Promise<AdminOutcome<null>> {
  return inTransaction(admin, async (sql) => {
    if (!(Number.isInteger(least) && least >= 2 && least <= 10)) {
      return refuse("invalid_setting", "from 2 to 10 administrators stay");
    }
    await drizzle(sql).update(office).set({ leastAdministrators: least });
    await writeAudit(sql, admin, "policy.administrators", null, { least });
    return { ok: true, value: null };
  });
}

const CONDITIONS = '"ARGUMENT above 5", "ARGUMENT outside 1..5", "ARGUMENT is TEXT" and ' +
  '"ARGUMENT above 5 a day", also "a day by person" and "a day by partner"; a rate can have "moved above"';

/** Whether a text is a condition on one of these arguments, as `condition_holds` reads it. */
function isCondition(text: string, names: readonly string[]): boolean {
  const [, argument = "", verb, value = "", by] =
    /^([a-z_]{1,32}) (above|moved above|outside|is) (\S{1,64})( a day(?: by p(?:erson|artner))?)?$/
      .exec(text) ?? [];
  if (!names.includes(argument)) return false;
  if (by?.endsWith("partner") && !names.includes("partner")) return false;
  if (verb === "moved above") {
    const isRate = names.includes("spread_percent") && argument.endsWith("_percent");
    return isRate && by !== undefined && isNumber(value);
  }
  if (verb === "above") return isNumber(value);
  if (by !== undefined) return false;
  const bounds = value.split("..");
  return verb === "is" || (bounds.length === 2 && bounds.every(isNumber));
}

/** Whether a text is a decimal with at most 6 decimals. */
const isNumber = (text: string): boolean => parseDecimal(text, 6, 6).ok;
