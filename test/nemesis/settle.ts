import { pause } from "../faults/waiting.ts";
import { NoTokenError } from "./bank.ts";
import type { Call } from "./history.ts";
import { wishOf, type WorkloadOptions } from "./worker.ts";

/** Who is answered so knows no more than before of what came of an earlier attempt. */
const NO_WORD = new Set(["service_unavailable", "price_unavailable", "rate_limited"]);

/**
 * Repeats every write whose outcome is unknown under its key until it is known, for so long.
 *
 * @returns the keys of those that stay unknown
 */
export async function settle(options: WorkloadOptions, patienceMs: number): Promise<string[]> {
  const open = new Map<string, Call>();
  const banks = new Map(options.banks.map((bank) => [bank.caller.partnerId, bank]));
  const known = new Set<string>();
  for (const call of options.history.calls) {
    const name = `${call.partner} ${call.key}`;
    if (call.key === "") continue;
    if (call.outcome === "ok") known.add(name);
    if (call.outcome === "unknown") open.set(name, call);
  }
  for (const name of known) open.delete(name);
  const waiting = [...open.values()];
  const left: string[] = [];
  const endMs = options.now() + patienceMs;
  await Promise.all(Array.from({ length: options.workers }, async () => {
    for (let call = waiting.shift(); call !== undefined; call = waiting.shift()) {
      for (let isKnown = false; !isKnown; await pause(20)) {
        const again = await banks.get(call.partner)!.write(wishOf(call)).catch(noToken);
        isKnown = again !== undefined && again.outcome !== "unknown" && !NO_WORD.has(again.code);
        if (isKnown || options.now() < endMs) continue;
        left.push(call.key);
        break;
      }
    }
  }));
  return left;
}

function noToken(error: unknown): undefined {
  if (!(error instanceof NoTokenError)) throw error;
}
