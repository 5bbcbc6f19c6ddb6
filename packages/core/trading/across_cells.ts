import type { Cells } from "../store/cells.ts";
import type { Reading } from "./create_reading.ts";
import type { Trading } from "./create_trading.ts";

/**
 * Trading of all cells as one: each partner's is done in its own (Decision D53), by executors of that
 * cell. While a cell is away, its partners' promises are rejected with a `CellAwayError`.
 */
export function tradingAcross(cells: Cells<Trading>): Trading {
  const of = ({ partner }: { partner: { partnerId: number } }) => cells.of(partner.partnerId);
  return {
    price: (settings) => cells.control.price(settings),
    quote: async (command) => await of(command).quote(command),
    order: async (command) => await of(command).order(command),
    withdraw: async (command) => await of(command).withdraw(command),
    cancelWithdrawal: async (command) => await of(command).cancelWithdrawal(command),
    fund: async (command) => await of(command).fund(command),
    redeliver: async (command) => await of(command).redeliver(command),
    enableWebhook: async (command) => await of(command).enableWebhook(command),
    spendNonce: async (nonce) => await cells.of(nonce.partnerId).spendNonce(nonce),
    findIdempotencyKey: async (query) => await cells.of(query.partnerId).findIdempotencyKey(query),
    queueDepth: () =>
      Array.from(cells.all().values()).reduce((sum, trading) => sum + trading.queueDepth(), 0),
  };
}

/** What is read of one partner. */
export type PartnerReading = Omit<Reading, "lastSequences">;

/** Reading of all cells as one: each partner's is read where its rows are. */
export function readingAcross(cells: Cells<PartnerReading>): PartnerReading {
  type Name = keyof PartnerReading;
  const routed = (name: Name) => async (query: { partnerId: number }) =>
    await (cells.of(query.partnerId)[name] as (query: object) => Promise<unknown>)(query);
  const names = Object.keys(cells.control) as Name[];
  return Object.fromEntries(
    names.map((name) => [name, routed(name)]),
  ) as unknown as PartnerReading;
}
