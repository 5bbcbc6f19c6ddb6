import type { Database } from "@sabika/database";
import type { Command, OrderCommand, QuoteCommand } from "@sabika/service/batches";
import type { PriceSource } from "@sabika/service/prices";
import {
  readAllocation,
  simulateGiveaway,
  simulateOldQuote,
  simulateWithdrawal,
} from "@sabika/service/simulation";
import { createTrading, type Reading, type Trading } from "@sabika/service/trading";
import type { TradingSettings } from "@sabika/terms/pricing";
import {
  formatId,
  formatTime,
  QUOTE_VALIDITY_SECONDS,
  type Side,
  type SimulationName,
  uuidV7,
} from "@sabika/protocol";

/** What simulations of trading need. */
export interface SimulatedTradingParts {
  readonly database: Database;
  readonly trading: Trading;
  readonly reading: Pick<Reading, "balances">;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly random: (length: number) => Uint8Array;
}

/** Makes the functions that replace trading's own in a simulation. */
type Override = (parts: SimulatedTradingParts) => Partial<Trading>;

/** 10,000 tonnes: more than anybody has. */
const ENDLESS_MICROGRAMS = 10n ** 16n;
const GRAM_MICROGRAMS = 1_000_000n;
/** Exceeds the balance by more than concurrent trades and fundings could bring. */
const MARGIN_HALALAS = 10_000_000_000n;
const MARGIN_MICROGRAMS = 100_000_000_000n;

/**
 * How each simulation of a business rule is brought about: trading gets arguments that it refuses itself
 * (Decision D55).
 */
const OVERRIDES: Partial<Record<SimulationName, Override>> = {
  price_unavailable: (parts) => {
    const none: PriceSource = { latest: () => ({ ok: false, code: "price_unavailable" }) };
    const { price, quote } = createTrading({ ...parts, prices: none });
    return { price, quote };
  },
  amount_below_minimum: ({ trading }) => ({
    quote: (command) => trading.quote(withSettings(command, onlyAmount(ENDLESS_MICROGRAMS))),
  }),
  amount_above_maximum: ({ trading }) => ({
    quote: (command) => trading.quote(withSettings(command, onlyAmount(1n))),
  }),
  too_many_open_quotes: ({ trading }) => ({
    quote: async (command) => {
      const outcome = await trading.quote(withSettings(command, { openQuotesLimit: 0 }));
      // The real limit is not reached, so a repeat need not wait until a quote ends.
      return outcome.ok ? outcome : { ...outcome, retryAfterSeconds: 1 };
    },
  }),
  idempotency_key_conflict: (parts) => ({
    quote: (command) => takeKey(parts, command).then(() => parts.trading.quote(command)),
    order: (command) => takeKey(parts, command).then(() => parts.trading.order(command)),
    withdraw: (command) => takeKey(parts, command).then(() => parts.trading.withdraw(command)),
    cancelWithdrawal: (command) =>
      takeKey(parts, command).then(() => parts.trading.cancelWithdrawal(command)),
    fund: (command) => takeKey(parts, command).then(() => parts.trading.fund(command)),
    enableWebhook: (command) =>
      takeKey(parts, command).then(() => parts.trading.enableWebhook(command)),
    redeliver: (command) => takeKey(parts, command).then(() => parts.trading.redeliver(command)),
  }),
  old_quote: (parts) => ({
    quote: async (command) => {
      const key = uuidV7(parts.now(), parts.random);
      const fresh = { ...command, idempotencyKey: key, parameters: `simulated ${key}` };
      const made = await parts.trading.quote(fresh);
      if (!made.ok) return made;
      await simulateOldQuote(parts.database.sql, command, made.value, parts.random);
      const old = await parts.trading.quote(command);
      return old.ok ? { ...old, replayed: false } : old;
    },
  }),
  withdrawal_not_cancellable: ({ database, trading, now, random }) => ({
    cancelWithdrawal: async (command) => {
      const { withdrawalId } = command.request;
      const { partnerId } = command.partner;
      const change = { partnerId, withdrawalId, nowMs: now(), random };
      await simulateWithdrawal(database, { ...change, status: "processing" });
      return await trading.cancelWithdrawal(command);
    },
  }),
  quote_not_found: ({ trading, now, random }) => ({
    order: (command) => trading.order(orderFor(command, formatId("qt", uuidV7(now(), random)))),
  }),
  quote_expired: ({ trading }) => ({
    order: async (command) => {
      const receivedAtMs = command.receivedAtMs + (QUOTE_VALIDITY_SECONDS + 1) * 1_000;
      const outcome = await trading.order({ ...command, receivedAtMs });
      if (outcome.ok || outcome.code !== "quote_expired") return outcome;
      return { ...outcome, meta: { ...outcome.meta, server_time: formatTime(receivedAtMs) } };
    },
  }),
  quote_already_used: ({ trading, now, random }) => ({
    order: async (command) => {
      const other = uuidV7(now(), random);
      await trading.order({
        ...command,
        idempotencyKey: other,
        parameters: other,
        nonce: { ...command.nonce, value: other },
        request: { ...command.request, clientReference: "simulated" },
      });
      return await trading.order(command);
    },
  }),
  insufficient_funds: (parts) => ({
    order: async (command) => {
      const { sarHalalas } = await parts.reading.balances(command.partner);
      const price = parts.trading.price(command.partner.settings);
      if (!price.ok) return price;
      const value = (sarHalalas + MARGIN_HALALAS) * 100n * GRAM_MICROGRAMS;
      const gold = value / price.value.buyPriceTenThousandths;
      return await orderOf(parts, command, "buy", gold);
    },
    withdraw: async (command) => {
      const { sarHalalas } = await parts.reading.balances(command.partner);
      const request = { ...command.request, amountHalalas: sarHalalas + MARGIN_HALALAS };
      return await parts.trading.withdraw({ ...command, request });
    },
  }),
  insufficient_gold: (parts) => ({
    order: async (command) => {
      const { goldMicrograms } = await parts.reading.balances(command.partner);
      return await orderOf(parts, command, "sell", goldMicrograms + MARGIN_MICROGRAMS);
    },
  }),
  inventory_unavailable: (parts) => ({
    order: async (command) => {
      const { database: { sql }, trading, random } = parts;
      const allocation = await readAllocation(sql, command.partner.partnerId);
      const gold = allocation + MARGIN_MICROGRAMS;
      return await trading.order(
        orderFor(command, await simulateGiveaway(sql, command, gold, random)),
      );
    },
  }),
};

/** Whether a simulation is brought about by trading. */
export function isByTrading(name: SimulationName): boolean {
  return Object.hasOwn(OVERRIDES, name);
}

/** Makes trading with the functions of a simulation. */
export function simulatedTrading(parts: SimulatedTradingParts, name: SimulationName): Trading {
  return { ...parts.trading, ...OVERRIDES[name]?.(parts) };
}

/** Makes a quote of this quantity, and places the order for it. */
async function orderOf(
  parts: SimulatedTradingParts,
  command: OrderCommand,
  side: Side,
  goldMicrograms: bigint,
): ReturnType<Trading["order"]> {
  const quote = await makeQuote(parts, command, side, goldMicrograms);
  return quote.ok ? await parts.trading.order(orderFor(command, quote.value.id)) : quote;
}

/** Uses the command's key for a quote. */
function takeKey(parts: SimulatedTradingParts, command: Command<unknown>) {
  return makeQuote(parts, command, "buy", GRAM_MICROGRAMS, command.idempotencyKey);
}

function makeQuote(
  { trading, now, random }: SimulatedTradingParts,
  command: Command<unknown>,
  side: Side,
  goldMicrograms: bigint,
  idempotencyKey = uuidV7(now(), random),
): ReturnType<Trading["quote"]> {
  const { partner, receivedAtMs } = command;
  const request = { side, goldMicrograms };
  const quote: QuoteCommand = {
    partner,
    receivedAtMs,
    idempotencyKey,
    request,
    parameters: `simulated ${idempotencyKey}`,
  };
  return trading.quote(withSettings(quote, {
    quoteMinMicrograms: 1n,
    quoteMaxMicrograms: ENDLESS_MICROGRAMS,
    openQuotesLimit: 1_000_000,
  }));
}

/** Settings that only allow quotes of this quantity. */
function onlyAmount(micrograms: bigint): Partial<TradingSettings> {
  return { quoteMinMicrograms: micrograms, quoteMaxMicrograms: micrograms };
}

function orderFor(command: OrderCommand, quoteId: string): OrderCommand {
  return { ...command, request: { ...command.request, quoteId } };
}

function withSettings<C extends Command<unknown>>(
  command: C,
  changes: Partial<TradingSettings>,
): C {
  const settings = { ...command.partner.settings, ...changes };
  return { ...command, partner: { ...command.partner, settings } };
}
