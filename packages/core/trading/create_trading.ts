import {
  type Funding,
  FUNDING_MAX_HALALAS,
  FUNDING_MIN_HALALAS,
  type IdempotentOutcome,
  type Order,
  type Outcome,
  type Price,
  type Quote,
  type Redelivery,
  type Refusal,
  refuse,
  type WebhookEnabled,
  type Withdrawal,
} from "@sabika/protocol";
import type { Database } from "../store/database.ts";
import { cancelWork } from "./cancel_withdrawals.ts";
import { commandItem } from "./command_batch.ts";
import type {
  CancelCommand,
  EnableWebhookCommand,
  FundCommand,
  OrderCommand,
  QuoteCommand,
  RedeliverCommand,
  SignedCommand,
  SignedNonce,
  TradingSettings,
  WithdrawCommand,
} from "./commands.ts";
import { enableOwnWebhook } from "./enable_webhook.ts";
import { createExecutor } from "./executor.ts";
import { findIdempotencyKey, type KnownKey } from "./find_idempotency_key.ts";
import { fundingWork } from "./fundings.ts";
import { nonceWork } from "./nonces.ts";
import { orderItem, orderWork } from "./orders.ts";
import { priceQuote } from "./price_quote.ts";
import type { PriceSource } from "./prices/price_source.ts";
import { priceCommand, priceNow } from "./pricing.ts";
import { quoteItem, quoteWork } from "./quotes.ts";
import { redeliverEvents } from "./redeliver_events.ts";
import { outOfBounds } from "./refusals.ts";
import { withdrawalWork } from "./withdrawals.ts";

export interface TradingParts {
  database: Database;
  prices: PriceSource;
  random: (length: number) => Uint8Array;
  /** Epoch milliseconds. */
  now: () => number;
  /** Items that wait for one kind of batch at most; further ones get 503. */
  maxWaiting?: number;
  observe?: { batch(kind: BatchKind, size: number, seconds: number): void };
}

export type BatchKind = "order" | "quote" | "funding" | "withdrawal" | "cancellation" | "nonce";

/** What partners can do. Every promise resolves after the commit; a refusal is a value. */
export interface Trading {
  /** The indicative price on these terms (Decision D9). */
  price(settings: TradingSettings): Outcome<Price>;
  quote(command: QuoteCommand): Promise<IdempotentOutcome<Quote>>;
  order(command: OrderCommand): Promise<IdempotentOutcome<Order>>;
  withdraw(command: WithdrawCommand): Promise<IdempotentOutcome<Withdrawal>>;
  /** Gives the money of a withdrawal back that nobody has begun to pay (Decision D13). */
  cancelWithdrawal(command: CancelCommand): Promise<IdempotentOutcome<Withdrawal>>;
  fund(command: FundCommand): Promise<IdempotentOutcome<Funding>>;
  /** Has events delivered again (Decision D35). */
  redeliver(command: RedeliverCommand): Promise<IdempotentOutcome<Redelivery>>;
  /** Has the partner's own endpoint delivered to again (Decision D54). */
  enableWebhook(command: EnableWebhookCommand): Promise<IdempotentOutcome<WebhookEnabled>>;
  /**
   * Spends a nonce by itself (Decision D25): true when it was fresh.
   *
   * @throws UnavailableError when the database cannot be reached
   */
  spendNonce(nonce: SignedNonce & { partnerId: number }): Promise<boolean>;
  /** What a key made, for a 409 before the body is looked at (Decision D26). */
  findIdempotencyKey(
    query: { partnerId: number; idempotencyKey: string },
  ): Promise<KnownKey | undefined>;
  /** Items that wait for their batch. */
  queueDepth(): number;
}

/** Thrown where no refusal can be returned; carries the one that belongs in the answer. */
export class UnavailableError extends Error {
  readonly refusal: Refusal;

  constructor(refusal: Refusal) {
    super(refusal.code);
    this.name = "UnavailableError";
    this.refusal = refusal;
  }
}

/** Puts trading together: the rules in front, one executor a kind of write behind. */
export function createTrading(parts: TradingParts): Trading {
  const { database, prices, random, now } = parts;
  const options = (kind: BatchKind) => ({
    now,
    maxWaiting: parts.maxWaiting,
    observe: (size: number, seconds: number) => parts.observe?.batch(kind, size, seconds),
  });
  const orders = createExecutor(orderWork(database, now), options("order"));
  const quotes = createExecutor(quoteWork(database), options("quote"));
  const fundings = createExecutor(fundingWork(database), options("funding"));
  const withdrawals = createExecutor(withdrawalWork(database), options("withdrawal"));
  const cancellations = createExecutor(cancelWork(database), options("cancellation"));
  const nonces = createExecutor(nonceWork(database), options("nonce"));

  async function quote(command: QuoteCommand): Promise<IdempotentOutcome<Quote>> {
    const priced = priceCommand(prices, now(), command);
    if (priced.ok) return await quotes.execute(quoteItem(command, priced.value, random));
    // A replay or a conflict comes before anything that today refuses (Decision D28).
    if (!await isKnown(command)) return priced;
    const { request, partner } = command;
    const none = {
      goldMicrograms: 1n,
      terms: priceQuote(request.side, 1n, 1n, partner.settings),
      priceAsOfMs: 0,
    };
    return await quotes.execute(quoteItem(command, none, random));
  }

  async function fund(command: FundCommand): Promise<IdempotentOutcome<Funding>> {
    const { amountHalalas } = command.request;
    const refusal = outOfBounds("SAR", amountHalalas, FUNDING_MIN_HALALAS, FUNDING_MAX_HALALAS);
    if (refusal && !await isKnown(command)) return refusal;
    return await fundings.execute(commandItem(command, random));
  }

  /** Spends a command's nonce; a refusal when it cannot be. */
  async function spend({ partner, nonce }: SignedCommand<unknown>): Promise<Refusal | undefined> {
    const spent = await nonces.execute({ partnerId: partner.partnerId, nonce });
    if ("ok" in spent) return spent;
    return spent.fresh ? undefined : refuse("nonce_reused");
  }

  async function isKnown(
    { partner, idempotencyKey }: { partner: { partnerId: number }; idempotencyKey: string },
  ): Promise<boolean> {
    return await findIdempotencyKey(database, partner.partnerId, idempotencyKey) !== undefined;
  }

  return {
    price: (settings) => priceNow(prices, now(), settings),
    quote,
    order: (command) => orders.execute(orderItem(command, random)),
    withdraw: async (command) =>
      await spend(command) ?? await withdrawals.execute(commandItem(command, random)),
    cancelWithdrawal: async (command) =>
      await spend(command) ?? await cancellations.execute(commandItem(command, random)),
    fund,
    enableWebhook: async (command) =>
      await spend(command) ?? await enableOwnWebhook(database, random, command),
    redeliver: (command) => redeliverEvents(database, command),
    async spendNonce({ partnerId, ...nonce }) {
      const spent = await nonces.execute({ partnerId, nonce });
      if ("ok" in spent) throw new UnavailableError(spent);
      return spent.fresh;
    },
    findIdempotencyKey: ({ partnerId, idempotencyKey }) =>
      findIdempotencyKey(database, partnerId, idempotencyKey),
    queueDepth: () =>
      [orders, quotes, fundings, withdrawals, cancellations, nonces].reduce(
        (sum, one) => sum + one.waiting(),
        0,
      ),
  };
}
