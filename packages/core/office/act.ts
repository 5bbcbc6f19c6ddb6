import type { AdminOutcome } from "../admin/refusal.ts";
import type { PartnerAdminContext } from "../partners/partner_admin_context.ts";
import type { ReadArguments, Readers } from "./arguments.ts";

/** How an act that stands in its arguments alone is carried out. */
interface CarriedAct<F extends Readers, T> {
  readonly readers: F;
  readonly carryOut: (
    admin: PartnerAdminContext,
    given: ReadArguments<F>,
  ) => Promise<AdminOutcome<T>>;
  /** Whether its result is for whoever asks and nobody else, such as a new secret. */
  readonly isPersonal: boolean;
}

/** An act whose result anybody may see who may do it. */
export function act<F extends Readers, T>(
  readers: F,
  carryOut: CarriedAct<F, T>["carryOut"],
): CarriedAct<F, T> {
  return { readers, carryOut, isPersonal: false };
}

/** An act whose result is for whoever asks alone. */
export function personal<F extends Readers, T>(
  readers: F,
  carryOut: CarriedAct<F, T>["carryOut"],
): CarriedAct<F, T> {
  return { readers, carryOut, isPersonal: true };
}
