import { setTimeout as pause } from "node:timers/promises";
import { type Caller, NoTokenError, type WriteKind } from "./caller.ts";
import type { Call, History } from "./history.ts";

/** Codes of a repeat that say nothing about earlier attempts. */
const INCONCLUSIVE = new Set(["service_unavailable", "price_unavailable", "rate_limited"]);
const AT_ONCE = 24;

/**
 * Repeats writes whose outcome is unknown, under their keys and signed anew, until the outcome is known.
 *
 * @returns the keys whose outcome stays unknown
 */
export async function settle(
  history: History,
  callers: readonly Caller[],
  patienceMs = 30_000,
): Promise<string[]> {
  const callerOf = new Map(callers.map((caller) => [caller.partnerId, caller]));
  const open = new Map<string, Call>();
  const known = new Set<string>();
  for (const call of history.calls) {
    const name = `${call.partner} ${call.key}`;
    if (call.key === "" || !callerOf.has(call.partner)) continue;
    if (call.outcome === "ok") known.add(name);
    if (call.outcome === "unknown") open.set(name, call);
  }
  for (const name of known) open.delete(name);
  const waiting = [...open.values()];
  const left: string[] = [];
  const endMs = Date.now() + patienceMs;
  await Promise.all(Array.from({ length: AT_ONCE }, async () => {
    for (let call = waiting.shift(); call !== undefined; call = waiting.shift()) {
      let attempt = call.number;
      while (!await findOut(callerOf.get(call.partner)!, call, attempt++)) {
        if (Date.now() > endMs) {
          left.push(call.key);
          break;
        }
        await pause(20);
      }
    }
  }));
  return left;
}

async function findOut(caller: Caller, call: Call, attempt: number): Promise<boolean> {
  try {
    const { kind, input, key } = call;
    const instance = attempt % caller.instances;
    const { outcome, code } = await caller.write(kind as WriteKind, input, { key, instance });
    return outcome !== "unknown" && !INCONCLUSIVE.has(code);
  } catch (error) {
    if (error instanceof NoTokenError) return false;
    throw error;
  }
}
