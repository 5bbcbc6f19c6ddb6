import type { AdminOutcome, AskedAct } from "@sabika/core/admin";
import { performAct, type Performed, UnbookedError } from "@sabika/core/office";
import type { PartnerAdminContext } from "@sabika/core/partners";
import { Refused } from "./refused.ts";

/**
 * Performs an act as core does.
 *
 * @throws {Refused} with `unbooked` when it is recorded, and the partner's cell is still to book it
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
