import type { AdminContext } from "@sabika/service/audit";
import { addBar } from "@sabika/service/vault";
import type { AdminOutcome } from "@sabika/terms";

const BARS = 8;
const BAR_MICROGRAMS = 12_510_000_000n;

/** The fine gold of a simulated vault's bars, at least: 100 kg. */
export const SIMULATED_VAULT_MICROGRAMS = 100_000_000_000n;

/** Adds simulated bars with the serials `PREFIX-0001` and so on to the vault, unless they are in it. */
export async function fillVault(admin: AdminContext, prefix: string): Promise<void> {
  for (let number = 1; number <= BARS; number++) {
    const added = await addBar(admin, {
      serial: `${prefix}-${String(number).padStart(4, "0")}`,
      refiner: "Simulated Refinery",
      finenessTenThousandths: 9_999,
      weightMicrograms: BAR_MICROGRAMS,
    });
    if (!added.ok && added.code !== "already_exists") must(added);
  }
}

/**
 * Returns the value of an act that should not be refused.
 *
 * @throws Error with the code and the detail when it was refused
 */
export function must<T>(result: AdminOutcome<T>): T {
  if (result.ok) return result.value;
  throw new Error(`${result.code}: ${result.detail}`);
}
