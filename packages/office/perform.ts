import type { AdminOutcome } from "@sabika/terms";
import { performAct, type Performed } from "./acts/perform.ts";
import { UnbookedError } from "./acts/record_act.ts";
import type { PartnerAdminContext } from "./partners/partner_admin_context.ts";
import type { AskedAct } from "./people/authorise.ts";
import { Refused } from "./refused.ts";

/**
 * Like {@linkcode performAct}, but throws a refusal, which routes and pages answer, for an unbooked act.
 *
 * @throws {Refused} with `unbooked` when the act is recorded and the partner's cell has still to book it
 */
export async function perform(
  admin: PartnerAdminContext,
  asked: AskedAct,
): Promise<AdminOutcome<Performed<unknown>>> {
  try {
    return await performAct(admin, asked);
  } catch (error) {
    throw error instanceof UnbookedError ? new Refused("unbooked", error.message) : error;
  }
}
