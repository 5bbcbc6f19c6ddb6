import type { AdminContext } from "@sabika/service/audit";
import { encodeUtf8, sha256Hex } from "@sabika/protocol";
import { addBar, addRefiner } from "@sabika/service/vault";
import type { AdminOutcome } from "@sabika/terms";

const BARS = 8;
const BAR_MICROGRAMS = 12_510_000_000n;

const REFINER = "Simulated Refinery";

/** The fine gold of a simulated vault's bars, at least: 100 kg. */
export const SIMULATED_VAULT_MICROGRAMS = 100_000_000_000n;

/** Adds simulated bars with the serials `PREFIX-0001` and so on to the vault, unless they are in it. */
export async function fillVault(admin: AdminContext, prefix: string): Promise<void> {
  const listed = await addRefiner(admin, {
    list: "own",
    refiner: REFINER,
    fromDay: "2026-01-01",
    documentSha256: await sha256Hex(encodeUtf8(REFINER)),
  });
  if (!listed.ok && listed.code !== "already_exists") must(listed);
  for (let number = 1; number <= BARS; number++) {
    const added = await addBar(admin, {
      serial: `${prefix}-${String(number).padStart(4, "0")}`,
      refiner: REFINER,
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
