import type { Database } from "@sabika/database";
import type { Outcome, Refusal } from "@sabika/protocol";
import { setFixedPrice } from "./fixed_price.ts";
import { createReading, createTrading, type Trading } from "@sabika/service/trading";
import { openTestDatabase } from "./test_database.ts";
import { random } from "./random.ts";
import type { TestPartner } from "./test_partner.ts";

/** Opens a new database and a server's functions for partners' writes and reads, at a fixed price. */
export async function openTestMarket(midTenThousandths = 4_000_000n) {
  const test = await openTestDatabase();
  const prices = await setFixedPrice(test.database, midTenThousandths);
  const batches: number[] = [];
  const trading = createTrading({
    database: test.app,
    prices,
    random,
    now: Date.now,
    observe: { batch: (_kind, size) => void batches.push(size) },
  });
  const reading = createReading({ database: test.app, environment: "sandbox", now: Date.now });
  return {
    ...test,
    prices,
    trading,
    /** How many items each batch had. */
    batches,
    reading,
  };
}

/**
 * Sets a fixed price in an open database, and opens a server's functions for partners' writes.
 *
 * @param app opened as a server does; `database` by default
 */
export async function openTestTrading(
  { database, app = database }: { readonly database: Database; readonly app?: Database },
  midTenThousandths = 4_000_000n,
): Promise<Trading> {
  const prices = await setFixedPrice(database, midTenThousandths);
  return createTrading({ database: app, prices, random, now: Date.now });
}

/** Returns the value of an outcome; throws if it is a refusal. */
export function value<T>(outcome: Outcome<T, Refusal<string>>): T {
  if (!outcome.ok) throw new Error(`refused: ${outcome.code}`);
  return outcome.value;
}

/** Returns the code of a refusal, or "ok". */
export const codeOf = (outcome: { readonly ok: boolean; readonly code?: string }): string =>
  outcome.code ?? "ok";

/** Requests a quote and orders it. */
export async function trade(trading: Trading, bank: TestPartner, side: "buy" | "sell" = "buy") {
  const quote = value(await trading.quote(bank.quote({ side })));
  return value(await trading.order(bank.order(quote.id)));
}

/** Returns the code and details of a refusal, or "ok". */
export const refusalOf = (outcome: Outcome<unknown, Refusal<string>>): unknown =>
  outcome.ok ? "ok" : [outcome.code, outcome.meta];
