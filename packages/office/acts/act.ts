import type { AdminOutcome } from "@sabika/terms";
import type { PartnerAdminContext } from "../partners/partner_admin_context.ts";
import type { Arguments, ReadArguments } from "./arguments.ts";
import type { Booking } from "./bookings/booking.ts";
import type { Describe } from "./dossier/subject.ts";

type CarryOut<F extends Arguments, T> = (
  admin: PartnerAdminContext,
  input: ReadArguments<F>,
) => Promise<AdminOutcome<T>>;

/** What every act has. */
interface About<F extends Arguments> {
  readonly parameters: F;
  /** Makes its dossier. */
  readonly describe: Describe<ReadArguments<F>>;
}

/** An act on control's rows, carried out in one transaction. */
interface ControlAct<F extends Arguments, T> extends About<F> {
  readonly carryOut: CarryOut<F, T>;
  /** Whether only the person who asks may see its result, such as a new secret. */
  readonly isPersonal: boolean;
}

/** An act on a partner's rows, recorded in control and booked in the partner's cell. */
interface BookedAct<F extends Arguments, T> extends About<F> {
  readonly booking: Booking<ReadArguments<F>, T>;
  readonly isPersonal: false;
}

/** Defines an act on control's rows; everybody who may do it may see its result. */
export function act<F extends Arguments, T>(
  parameters: F,
  describe: Describe<ReadArguments<F>>,
  carryOut: CarryOut<F, T>,
): ControlAct<F, T> {
  return { parameters, describe, carryOut, isPersonal: false };
}

/** Defines an act on control's rows whose result only the person who asks may see. */
export function personal<F extends Arguments, T>(
  parameters: F,
  describe: Describe<ReadArguments<F>>,
  carryOut: CarryOut<F, T>,
): ControlAct<F, T> {
  return { parameters, describe, carryOut, isPersonal: true };
}

/** Defines an act on a partner's rows, in whichever cell those are. */
export function booked<F extends Arguments, T>(
  parameters: F,
  describe: Describe<ReadArguments<F>>,
  booking: Booking<ReadArguments<F>, T>,
): BookedAct<F, T> {
  return { parameters, describe, booking, isPersonal: false };
}
