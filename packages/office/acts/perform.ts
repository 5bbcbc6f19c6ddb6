import { refuse } from "@sabika/protocol";
import type { Transaction } from "@sabika/database";
import { signedFrom } from "@sabika/identity/signatures";
import { actIdOf, type AdminContext, inTransaction, readPeopleSince } from "@sabika/service/audit";
import type { AdminOutcome, AdminRefusal } from "@sabika/terms";
import type { PartnerAdminContext } from "../partners/partner_admin_context.ts";
import {
  asAuthorised,
  type AskedAct,
  authorise,
  type AuthorisedAct,
  refusingUnwarranted,
} from "../people/authorise.ts";
import { type ApprovalRule, findRule } from "./approval_rules.ts";
import { reason as checkedReason } from "./argument_checks.ts";
import { ArgumentError, type Arguments, readArguments, text } from "./arguments.ts";
import type { AnyBooking } from "./bookings/booking.ts";
import { CANNOT_WAIT, CATALOGUE, isCarried, isForRequester } from "./catalogue.ts";
import { collect } from "./collect.ts";
import { approve, type Decided, reject, requestApproval, type Waiting } from "./decide.ts";
import { type Dossier, splitArguments } from "./dossier/line.ts";
import { lockFacts } from "./lock_facts.ts";
import { readDossier } from "./read_dossier.ts";
import { readSigned, refuseOther } from "./refuse_other.ts";
import { bookInCell, recordAct, UnbookedAct } from "./record_act.ts";
import { withOpenCells } from "./with_open_cells.ts";

/** An act that is done, with its result, or that waits for a second person. */
export type Performed<T> = { readonly done: T } | Waiting;

/**
 * Performs an act, whoever asks for it (Decision D50). Checks the signature, the person's roles and whether a
 * second person is needed (Decisions D81, D87); then writes the act, its audit entry and what was signed in one
 * transaction. An act on a partner's rows is recorded in that transaction, and booked in the partner's cell:
 * in the same transaction where that is control's own, else after it (Decision D53).
 *
 * @returns its result, or that it waits; after a refusal nothing was done
 * @throws {UnbookedError} when the act is recorded and the cell has still to book it
 */
export async function performAct(
  admin: PartnerAdminContext,
  asked: AskedAct,
): Promise<AdminOutcome<Performed<unknown>>> {
  const outcome = await withOpenCells(
    { ...admin, attachment: asked.attachment },
    (within) => inControl(within, asked),
  );
  if (!outcome.ok || !("done" in outcome.value)) return outcome;
  const { done } = outcome.value;
  if (done instanceof UnbookedAct) return asDone(await bookInCell(admin, done));
  const decided = done as Decided | null;
  if (decided?.state !== "done" || !(decided.value instanceof UnbookedAct)) return outcome;
  const booked = await bookInCell(admin, decided.value);
  return booked.ok ? asDone({ ok: true, value: { ...decided, value: booked.value } }) : booked;
}

/** The part of an act that is done in control's transaction. */
function inControl(
  admin: PartnerAdminContext,
  asked: AskedAct,
): Promise<AdminOutcome<Performed<unknown>>> {
  return inOneTransaction(admin, asked, async (within, act) => {
    const { name, argumentsText, warrant } = act;
    const rule = isDecision(name) ? undefined : await findRuleFor(within.transaction, act);
    const refusal = isDecision(name) ? refuseBlind(act) : await refuseChanged(within, act);
    if (refusal !== undefined) return refusal;
    if (isDecision(name)) return await decide(within, act);
    if (rule === undefined) return asDone(await carryOut(within, name, argumentsText));
    if (!isCarried(name)) return refuse("not_permitted", CANNOT_WAIT);
    // Only a person's act has a rule.
    if (warrant === undefined || "breakGlass" in warrant) throw new Error("no person asks");
    const approved = isForRequester(name, argumentsText)
      ? await collect(within, warrant)
      : undefined;
    if (approved !== undefined) return asDone(await carryOut(approved, name, argumentsText));
    const tried = await tryOut(within.transaction, () => carryOut(within, name, argumentsText));
    if (!tried.ok) return tried;
    return await requestApproval(within, warrant, rule);
  });
}

/** The refusal of what a passkey signed without its dossier (Decision D96): nobody signs blind. */
function refuseBlind({ name, dossier, warrant }: ReadAct): AdminRefusal | undefined {
  const isBlind = dossier === undefined && warrant !== undefined && "signed" in warrant &&
    signedFrom(warrant.signed) !== undefined && argumentsOfAct(name) !== undefined;
  return isBlind
    ? refuse("invalid_setting", "a passkey signs an act with its dossier: stage it first")
    : undefined;
}

/** Also the refusal of an act whose facts are not those of the dossier that was signed with it. */
async function refuseChanged(
  { transaction: sql, ...admin }: Within<PartnerAdminContext>,
  act: ReadAct,
): Promise<AdminRefusal | undefined> {
  const { name, argumentsText, dossier } = act;
  if (dossier === undefined) return refuseBlind(act);
  const { input } = splitArguments(JSON.parse(argumentsText));
  await lockFacts(sql, name, input);
  // What was asked for before is answered as such.
  const id = actIdOf(act);
  const [known] = id === null ? [] : await sql`select from acts where act_id = ${id}::uuid`;
  if (known !== undefined) return undefined;
  const now = await readDossier({ ...admin, sql }, name, input);
  return now.ok ? refuseOther(dossier, now.value) : now;
}

/**
 * Like `performAct`, for an act that needs more than arguments, such as files; refuses it if it has to wait.
 *
 * @param run carries out the act, and writes its audit entry through the context that it gets
 */
export function performWith<CONTEXT extends AdminContext, T>(
  admin: CONTEXT,
  asked: AskedAct,
  run: (admin: CONTEXT) => Promise<AdminOutcome<T>>,
): Promise<AdminOutcome<T>> {
  return inOneTransaction(
    admin,
    asked,
    async (within, act) =>
      await findRuleFor(within.transaction, act) === undefined
        ? await run(within)
        : refuse("not_permitted", CANNOT_WAIT),
  );
}

type Within<CONTEXT> = CONTEXT & { transaction: Transaction };

/** An authorised act with the dossier that was signed, if one was. */
type ReadAct = AuthorisedAct & { readonly dossier: Dossier | undefined };

async function inOneTransaction<CONTEXT extends AdminContext, T>(
  admin: CONTEXT,
  asked: AskedAct,
  body: (within: Within<CONTEXT>, act: ReadAct) => Promise<AdminOutcome<T>>,
): Promise<AdminOutcome<T>> {
  const authorised = await authorise(admin, asked);
  if (!authorised.ok) return authorised;
  const dossier = readSigned(authorised.value.argumentsText);
  if (!dossier.ok) return dossier;
  const act = { ...authorised.value, dossier: dossier.value };
  const acting = asAuthorised(admin, authorised.value);
  return await refusingUnwarranted(() =>
    inTransaction(acting, (transaction) => body({ ...acting, transaction }, act))
  );
}

/** The rule by which a second person is needed; undefined for an act that no person signed. */
async function findRuleFor(
  sql: Transaction,
  { person, warrant }: AuthorisedAct,
): Promise<ApprovalRule | undefined> {
  if (person === undefined || warrant === undefined || "breakGlass" in warrant) return undefined;
  return await readPeopleSince(sql) === null ? undefined : await findRule(sql, warrant);
}

async function decide(
  admin: Within<PartnerAdminContext>,
  { name, argumentsText, dossier, person, warrant }: ReadAct,
): Promise<AdminOutcome<Performed<unknown>>> {
  if (person === undefined || warrant === undefined || "breakGlass" in warrant) {
    return refuse("person_required", "a request is decided by a person");
  }
  const input = readArgumentsText(DECISIONS[name as keyof typeof DECISIONS], argumentsText);
  if (!input.ok) return input;
  const decision = { request: input.value["request"] as string, person, warrant, dossier };
  return asDone(
    name === "approval.reject"
      ? await reject(admin, { ...decision, reason: input.value["reason"] as string })
      : await approve(
        admin,
        { ...decision, sha256: input.value["sha256"] as string },
        (within, signed) => carryOut(within, signed.name, signed.argumentsText),
      ),
  );
}

const DECISIONS = {
  "approval.approve": { request: text, sha256: text },
  "approval.reject": { request: text, reason: checkedReason },
};

const isDecision = (name: string): name is keyof typeof DECISIONS => Object.hasOwn(DECISIONS, name);

/** Carries out an act that was authorised before. */
async function carryOut(
  admin: Within<PartnerAdminContext>,
  name: string,
  argumentsText: string,
): Promise<AdminOutcome<unknown>> {
  if (!isCarried(name)) return refuse("not_found", `${name} needs files: use the command`);
  const act = CATALOGUE[name];
  const input = readArgumentsText(act.parameters, argumentsText);
  if (!input.ok) return input;
  return "booking" in act
    ? await recordAct(admin, { name, booking: act.booking as AnyBooking }, input.value)
    : await act.carryOut(admin, input.value as never);
}

/**
 * Returns what is wrong with an act's arguments, in words, before anybody signs them; undefined when they
 * can be read, or when the act needs more than its arguments.
 */
export function findMistake(
  name: string,
  values: Readonly<Record<string, unknown>>,
): string | undefined {
  const parameters = argumentsOfAct(name);
  const outcome = parameters && readArgumentsText(parameters, JSON.stringify(values));
  return outcome?.ok === false ? outcome.detail : undefined;
}

/**
 * Returns why an act would be refused now; undefined when it would be done, and for a decision on a request,
 * which cannot be tried. All is rolled back. What a partner's own cell refuses is not seen.
 */
export async function tryAct(
  admin: PartnerAdminContext,
  name: string,
  argumentsText: string,
): Promise<AdminRefusal | undefined> {
  if (isDecision(name)) return undefined;
  const fine = refuse("invalid_state", "it would be done");
  const outcome = await refusingUnwarranted(() =>
    withOpenCells(admin, (admin) =>
      inTransaction<never>(admin, async (transaction) => {
        const tried = await carryOut({ ...admin, transaction, isTrial: true }, name, argumentsText);
        return tried.ok ? fine : tried;
      }))
  );
  return outcome === fine || outcome.ok ? undefined : outcome;
}

/** Returns the arguments of an act by name; undefined when the act needs more than its arguments. */
export function argumentsOfAct(name: string): Arguments | undefined {
  if (isCarried(name)) return CATALOGUE[name].parameters;
  return isDecision(name) ? DECISIONS[name] : undefined;
}

function readArgumentsText(
  parameters: Arguments,
  argumentsText: string,
): AdminOutcome<Readonly<Record<string, unknown>>> {
  try {
    const { input } = splitArguments(JSON.parse(argumentsText));
    return { ok: true, value: readArguments(parameters, input) };
  } catch (error) {
    if (error instanceof ArgumentError) return refuse("invalid_setting", error.message);
    throw error;
  }
}

/** Returns the outcome that an act would have now, and rolls it back; throws for a violated constraint. */
async function tryOut<T>(
  sql: Transaction,
  body: () => Promise<AdminOutcome<T>>,
): Promise<AdminOutcome<T>> {
  await sql`savepoint tried`;
  const outcome = await body();
  await sql`set constraints administrators_least immediate`;
  await sql`rollback to savepoint tried`;
  return outcome;
}

function asDone<T>(outcome: AdminOutcome<T>): AdminOutcome<{ done: T }> {
  return outcome.ok ? { ok: true, value: { done: outcome.value } } : outcome;
}
