import type { Outcome, Refusal } from "@sabika/protocol";
import { createFixedPrice } from "@sabika/service/prices";
import { createReading, createTrading, type Trading } from "@sabika/service/trading";
import { openTestDatabase } from "./test_database.ts";
import { random, type TestPartner } from "./test_partner.ts";

/** A fresh database, with all that partners do and read in it as a server does, at a fixed price. */
export async function openTestMarket(midTenThousandths = 4_000_000n) {
  const test = await openTestDatabase();
  const prices = createFixedPrice({ midTenThousandths });
  const trading = createTrading({ database: test.app, prices, random, now: Date.now });
  const reading = createReading({ database: test.app, environment: "sandbox", now: Date.now });
  return { ...test, prices, trading, reading };
}

/** The value of an outcome that must be one. */
export function value<T>(outcome: Outcome<T, Refusal<string>>): T {
  if (!outcome.ok) throw new Error(`refused: ${outcome.code}`);
  return outcome.value;
}

/** What an outcome came to: the code of its refusal, or "ok". */
export const codeOf = (outcome: { readonly ok: boolean; readonly code?: string }): string =>
  outcome.code ?? "ok";

/** Orders at a fresh quote's terms. */
export async function trade(
  trading: Trading,
  bank: TestPartner,
  side: "buy" | "sell" = "buy",
) {
  const quote = value(await trading.quote(bank.quote({ side })));
  return value(await trading.order(bank.order(quote.id)));
}

/** The code of a refusal and what it says besides it; "ok" where there is none. */
export const refusalOf = (outcome: Outcome<unknown, Refusal<string>>): unknown =>
  outcome.ok ? "ok" : [outcome.code, outcome.meta];
