import { setTimeout as pause } from "node:timers/promises";
import { readReceiptLag, recountReceipts } from "@sabika/service/receipts";
import { type Violation, withoutCalls } from "../support/history/checker.ts";
import type { RunSurroundings } from "./options.ts";
import { placesOf } from "./places.ts";
import type { StackWorld } from "./stack_world.ts";

/** After this time `SabikaReceiptsLate` would tell the operator (Decision D103). */
const LATE_MS = 600_000;

/** Waits until every order has its receipt, makes all of them again from the books, and compares them (I6). */
export async function wrongReceipts(
  world: StackWorld,
  { signal }: Pick<RunSurroundings, "signal">,
): Promise<Violation[]> {
  const control = world.control.database;
  const endMs = Date.now() + LATE_MS;
  const found: Violation[] = [];
  for (const { database: cell } of placesOf(world)) {
    while (await readReceiptLag(cell.sql) !== undefined && Date.now() < endMs && !signal.aborted) {
      await pause(500);
    }
    if (signal.aborted) return found;
    const differences = await recountReceipts({ control, cell, whole: true });
    found.push(
      ...differences.map(({ partnerId, subject }) =>
        withoutCalls("I6", `the receipt of ${subject}`, partnerId ?? undefined)
      ),
    );
  }
  return found;
}
