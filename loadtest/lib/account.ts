import { check } from "k6";
import { goldUnits, halalas } from "./halalas.ts";
import { good } from "./metrics.ts";
import { describe, type Partner } from "./partner.ts";
import type { Order } from "./trade.ts";

/** A partner's balances at the beginning of a run. */
export interface Opening {
  /** The time of the beginning, in RFC 3339. */
  readonly startedAt: string;
  /** The balance of money, in halalas. */
  readonly sar: number;
  /** The balance of gold, in ten-thousandths of a gram. */
  readonly gold: number;
}

/** Funds the account if the environment is a sandbox, and reads its balances; throws Error if refused. */
export function openAccount(partner: Partner, environment: string, fundSar: number): Opening {
  if (environment === "sandbox") {
    const key = { "idempotency-key": crypto.randomUUID() };
    const funded = partner.post("/sandbox/fund", { amount_sar: fundSar }, "fund", key);
    if (funded.status !== 201) throw new Error(`funding was refused: ${describe(funded)}`);
  }
  const { sar, gold_grams } = balances(partner);
  return { startedAt: new Date().toISOString(), sar: halalas(sar), gold: goldUnits(gold_grams) };
}

/**
 * Checks the books of the run: the balances have changed by exactly the totals and the gold of all orders
 * since its beginning. Nothing else may use the partner during the run. Throws Error if they cannot be read.
 */
export function checkBooks(partner: Partner, opening: Opening): void {
  let sar = opening.sar;
  let gold = opening.gold;
  let cursor: string | null = null;
  do {
    const query: string = cursor === null ? "" : `&cursor=${encodeURIComponent(cursor)}`;
    const from = encodeURIComponent(opening.startedAt);
    const answer = partner.get(`/v1/orders?limit=100&created_from=${from}${query}`);
    if (answer.status !== 200) throw new Error(`orders cannot be read: ${describe(answer)}`);
    const page = answer.json() as unknown as { data: Order[]; next_cursor: string | null };
    for (const order of page.data) {
      const sign = order.side === "buy" ? 1 : -1;
      sar -= sign * halalas(order.total_sar);
      gold += sign * goldUnits(order.gold_grams);
    }
    cursor = page.next_cursor;
  } while (cursor !== null);
  const now = balances(partner);
  const isRight = check(now, {
    "the balance fell by the orders' totals": (b) => halalas(b.sar) === sar,
    "the gold grew by the orders' amounts": (b) => goldUnits(b.gold_grams) === gold,
  });
  good.add(isRight);
}

function balances(partner: Partner): { sar: number; gold_grams: number } {
  const answer = partner.get("/v1/balances");
  if (answer.status !== 200) throw new Error(`balances cannot be read: ${describe(answer)}`);
  return answer.json() as unknown as { sar: number; gold_grams: number };
}
