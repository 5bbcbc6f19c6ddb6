import { type Bank, NoTokenError } from "./bank.ts";
import type { Call } from "./history.ts";
import type { StackWorld } from "./stack_world.ts";
import { pause } from "../faults/waiting.ts";

/** What service must be whole again within (I12). */
export const LONGEST_RECOVERY_MS = 30_000;
/** How many trades in a row, on a new connection each, say that it is: every instance has its share. */
const IN_A_ROW = 4;

/** Whose trades say that it is: with cells all banks but the last, which has no money for them. */
export const probersOf = ({ banks, cells }: StackWorld): readonly Bank[] =>
  cells.length === 0 ? banks.slice(0, 1) : banks.slice(0, -1);

/** How it is waited until the stack is whole. */
interface Waiting {
  readonly now: () => number;
  readonly signal: AbortSignal;
  readonly patienceMs: number;
  /** Told in a line what is not whole when it is waited no longer. */
  readonly giveUp: (why: string) => void;
}

/**
 * Waits until the stack is whole: every instance runs and is ready for Envoy, and trades pass.
 *
 * @returns milliseconds, or undefined when it took longer than `patienceMs`
 */
export async function untilWhole(
  world: StackWorld,
  probers: readonly Bank[],
  { now, signal, patienceMs, giveUp }: Waiting,
): Promise<number | undefined> {
  const startMs = now();
  const passed = new Map(probers.map((bank) => [bank, 0]));
  /** Of each bank's last trade that did not pass. */
  const failures = new Map<Bank, string>();
  for (let left = probers; left.length > 0;) {
    if (signal.aborted) return now() - startMs;
    const isThere = world.stack.instances().length === world.instances &&
      world.stack.delivery() !== undefined;
    if (now() - startMs > patienceMs) {
      giveUp(isThere ? left.map((bank) => failures.get(bank)).join(", ") : "not all processes run");
      return undefined;
    }
    await Promise.all((isThere ? left : probers).map(async (bank) => {
      const failure = isThere ? await tradeOnce(bank).catch(noToken) : "";
      if (failure) failures.set(bank, `${bank.caller.partner.clientId}: ${failure}`);
      passed.set(bank, failure === undefined ? passed.get(bank)! + 1 : 0);
    }));
    left = probers.filter((bank) => passed.get(bank)! < IN_A_ROW);
    if (left.some((bank) => passed.get(bank) === 0)) await pause(50);
  }
  return now() - startMs;
}

function noToken(error: unknown): string {
  if (error instanceof NoTokenError) return "no token";
  throw error;
}

/** @returns what did not pass; undefined when all did */
async function tradeOnce(bank: Bank): Promise<string | undefined> {
  const choices = { timeoutMs: 5_000 };
  const key = crypto.randomUUID();
  bank.caller.close();
  const write = (kind: "fund" | "quote" | "order", body: string) =>
    bank.write({ kind, key: `${kind}-${key}`, body }, choices);
  const failureOf = ({ kind, outcome, status, code }: Call) =>
    outcome === "ok" ? undefined : `${kind} ${status} ${code}`;
  const funded = await write("fund", '{"amount_sar":1000}');
  if (funded.outcome !== "ok") return failureOf(funded);
  const quoted = await write("quote", '{"side":"buy","gold_grams":0.5}');
  if (quoted.outcome !== "ok") return failureOf(quoted);
  const { id } = JSON.parse(quoted.answer) as { id: string };
  return failureOf(await write("order", `{"quote_id":"${id}"}`));
}
