import { type Bank, NoTokenError } from "./bank.ts";
import type { StackWorld } from "./stack_world.ts";
import { pause } from "../faults/waiting.ts";

/** What service must be whole again within (I12). */
export const LONGEST_RECOVERY_MS = 30_000;
/** How many trades in a row, on a new connection each, say that it is: every instance has its share. */
const IN_A_ROW = 4;

/** Whose trades say that it is: with cells all banks but the last, which has no money for them. */
export const probersOf = ({ banks, cells }: StackWorld): readonly Bank[] =>
  cells.length === 0 ? banks.slice(0, 1) : banks.slice(0, -1);

/**
 * Waits until the stack is whole: every instance runs and is ready for Envoy, and trades pass.
 *
 * @returns milliseconds, or undefined when it took longer than `patienceMs`
 */
export async function untilWhole(
  world: StackWorld,
  probers: readonly Bank[],
  { now, signal, patienceMs }: { now: () => number; signal: AbortSignal; patienceMs: number },
): Promise<number | undefined> {
  const startMs = now();
  const passed = new Map(probers.map((bank) => [bank, 0]));
  for (let left = probers; left.length > 0;) {
    if (signal.aborted) return now() - startMs;
    if (now() - startMs > patienceMs) return undefined;
    const isThere = world.stack.instances().length === world.instances &&
      world.stack.delivery() !== undefined;
    await Promise.all((isThere ? left : probers).map(async (bank) => {
      const isGood = isThere && await trades(bank).catch(noToken);
      passed.set(bank, isGood ? passed.get(bank)! + 1 : 0);
    }));
    left = probers.filter((bank) => passed.get(bank)! < IN_A_ROW);
    if (left.some((bank) => passed.get(bank) === 0)) await pause(50);
  }
  return now() - startMs;
}

function noToken(error: unknown): false {
  if (error instanceof NoTokenError) return false;
  throw error;
}

async function trades(bank: Bank): Promise<boolean> {
  const choices = { timeoutMs: 5_000 };
  const key = crypto.randomUUID();
  bank.caller.close();
  const write = (kind: "fund" | "quote" | "order", body: string) =>
    bank.write({ kind, key: `${kind}-${key}`, body }, choices);
  if ((await write("fund", '{"amount_sar":1000}')).outcome !== "ok") return false;
  const quoted = await write("quote", '{"side":"buy","gold_grams":0.5}');
  if (quoted.outcome !== "ok") return false;
  const { id } = JSON.parse(quoted.answer) as { id: string };
  return (await write("order", `{"quote_id":"${id}"}`)).outcome === "ok";
}
