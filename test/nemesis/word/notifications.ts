import { setTimeout as pause } from "node:timers/promises";
import { type Violation, withoutCalls } from "../../support/history/checker.ts";
import type { StackWorld } from "../stack_world.ts";

/** The office looks every 30 s (Decision D98), and may be about to. */
const PATIENCE_MS = 40_000;
const EVERY_MS = 1_000;
/** Troubles that a run makes and ends, of which the office tells. */
const KINDS = "{price_stale,endpoint_down}";

/**
 * Returns a violation of I15 for each trouble of which the office still tells a while after it was over.
 *
 * @param world a stack that serves, whose events are all delivered
 */
export async function staleNotifications(
  { control: { database: { sql } } }: StackWorld,
  signal: AbortSignal,
): Promise<Violation[]> {
  for (const endMs = Date.now() + PATIENCE_MS;; await pause(EVERY_MS)) {
    const lasting = await sql<{ kind: string; subject: string }[]>`
      select kind, subject from notifications
      where kind = any (${KINDS}::text[]) and ended_at is null`;
    if (lasting.length === 0 || signal.aborted) return [];
    if (Date.now() < endMs) continue;
    return lasting.map(({ kind, subject }) =>
      withoutCalls("I15", `the office still tells ${kind} of ${subject}`)
    );
  }
}
