import { refuse } from "@sabika/protocol";
import type { AdminContext } from "../admin/admin_context.ts";
import { asAuthorised, type AskedAct, authorise, refusingUnwarranted } from "../admin/authorise.ts";
import { inTransaction } from "../admin/change.ts";
import type { AdminOutcome } from "../admin/refusal.ts";
import type { ActName } from "../admin/rights.ts";
import type { PartnerAdminContext } from "../partners/partner_admin_context.ts";
import { CARRIED_ACTS, type CarriedName } from "./acts.ts";
import { ArgumentError, readArguments, type Readers } from "./arguments.ts";

/**
 * The door that every act goes through, whoever asks for it (Decision D50): the signature, the
 * person's roles, then the act, its audit entry and what was signed in one transaction.
 *
 * @returns what came of it; refused, nothing was done
 */
export function performAct(
  admin: PartnerAdminContext,
  asked: AskedAct,
): Promise<AdminOutcome<unknown>> {
  return performWith(admin, asked, (within, { name, argumentsText }) => {
    return carryOut(within, name, argumentsText);
  });
}

/**
 * The same for an act that needs what only the caller has at hand, who carries it out.
 *
 * @param run its entry goes through the context that it is given, and so does its transaction
 */
export async function performWith<CONTEXT extends AdminContext, T>(
  admin: CONTEXT,
  asked: AskedAct,
  run: (
    admin: CONTEXT,
    act: { name: ActName; argumentsText: string },
  ) => Promise<AdminOutcome<T>>,
): Promise<AdminOutcome<T>> {
  const authorised = await authorise(admin, asked);
  if (!authorised.ok) return authorised;
  const act = authorised.value;
  const acting = asAuthorised(admin, act);
  return await refusingUnwarranted(() =>
    inTransaction(acting, (transaction) => run({ ...acting, transaction }, act))
  );
}

/** Carries an act out that was authorised before. */
async function carryOut(
  admin: PartnerAdminContext,
  name: ActName,
  argumentsText: string,
): Promise<AdminOutcome<unknown>> {
  if (!isCarried(name)) return refuse("not_found", `${name} is done by who has its files alone`);
  const { readers, carryOut } = CARRIED_ACTS[name];
  let given;
  try {
    given = readArguments(readers as Readers, JSON.parse(argumentsText));
  } catch (error) {
    if (error instanceof ArgumentError) return refuse("invalid_setting", error.message);
    throw error;
  }
  return await carryOut(admin, given as never);
}

/** Whether an act's arguments say it whole. */
function isCarried(name: string): name is CarriedName {
  return Object.hasOwn(CARRIED_ACTS, name);
}
