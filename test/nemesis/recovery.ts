import { setTimeout as pause } from "node:timers/promises";
import { type Caller, NoTokenError } from "../support/history/caller.ts";
import { tradeOnce } from "../support/history/trade_once.ts";
import type { StackWorld } from "./stack_world.ts";

/** The time within which the stack must serve again (I12). */
export const LONGEST_RECOVERY_MS = 30_000;
/** How many trades in a row must pass, each on a new connection, so that every instance gets some. */
const IN_A_ROW = 4;

/** Returns the partners whose trades must pass: with cells all rich ones, so that every cell is tried. */
export const probersOf = ({ rich, cells }: StackWorld): readonly Caller[] =>
  cells.length === 0 ? rich.slice(0, 1) : rich;

/** How to wait until the stack serves. */
interface Waiting {
  readonly signal: AbortSignal;
  readonly patienceMs: number;
  /** Called with the reason when the stack does not serve within the patience. */
  readonly giveUp: (why: string) => void;
}

/**
 * Waits until the stack serves: every instance runs and is ready for Envoy, and trades pass.
 *
 * @returns milliseconds until the first of the trades in a row passed, which may take long on a busy machine;
 *   undefined if the last one took longer than `patienceMs`
 */
export async function untilServing(
  world: StackWorld,
  probers: readonly Caller[],
  { signal, patienceMs, giveUp }: Waiting,
): Promise<number | undefined> {
  const startMs = Date.now();
  /** When the trades in a row of each caller passed. */
  const passed = new Map<Caller, number[]>(probers.map((caller) => [caller, []]));
  /** Why each caller's last trade failed. */
  const failures = new Map<Caller, string>();
  for (let left = probers; left.length > 0;) {
    if (signal.aborted) return Date.now() - startMs;
    const isThere = world.stack.instances().length === world.instances &&
      world.stack.delivery() !== undefined && world.stack.office?.running() !== undefined;
    if (Date.now() - startMs > patienceMs) {
      giveUp(
        isThere ? left.map((caller) => failures.get(caller)).join(", ") : "not all processes run",
      );
      return undefined;
    }
    await Promise.all((isThere ? left : probers).map(async (caller) => {
      const failure = isThere ? await tradeAnew(caller).catch(noToken) : "";
      if (failure) failures.set(caller, `${caller.partner.clientId}: ${failure}`);
      passed.set(caller, failure === undefined ? [...passed.get(caller)!, Date.now()] : []);
    }));
    left = probers.filter((caller) => passed.get(caller)!.length < IN_A_ROW);
    if (left.some((caller) => passed.get(caller)!.length === 0)) await pause(50);
  }
  return Math.max(...Array.from(passed.values(), ([firstMs]) => firstMs!)) - startMs;
}

function noToken(error: unknown): string {
  if (error instanceof NoTokenError) return "no token";
  throw error;
}

function tradeAnew(caller: Caller): Promise<string | undefined> {
  caller.close();
  return tradeOnce(caller);
}
