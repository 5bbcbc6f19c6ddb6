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
import type { TradingSettings } from "@sabika/terms/pricing";
import { commandItem } from "../batches/command_batch.ts";
import type {
  CancelCommand,
  EnableWebhookCommand,
  FundCommand,
  OrderCommand,
  QuoteCommand,
  RedeliverCommand,
  SignedCommand,
  SignedNonce,
  WithdrawCommand,
} from "../batches/commands.ts";
import { outOfBounds } from "../batches/refusals.ts";
import { orderItem } from "../orders/place_orders.ts";
import type { PriceSource } from "../prices/price_source.ts";
import { quoteItem } from "../quotes/make_quotes.ts";
import { priceNow } from "../quotes/pricing.ts";
import type { KnownKey } from "./find_idempotency_key.ts";
import { createWrites, type Writes, type WritesParts } from "./writes.ts";

/** What trading needs besides the writes. */
export interface TradingRules {
  prices: PriceSource;
  random: (length: number) => Uint8Array;
  /** Epoch milliseconds. */
  now: () => number;
}

/** What partners can do. Every promise resolves after the commit; a refusal is a value. */
export interface Trading {
  /** The indicative price on these terms (Decision D9). */
  price(settings: TradingSettings): Outcome<Price>;
  quote(command: QuoteCommand): Promise<IdempotentOutcome<Quote>>;
  order(command: OrderCommand): Promise<IdempotentOutcome<Order>>;
  withdraw(command: WithdrawCommand): Promise<IdempotentOutcome<Withdrawal>>;
  /** Cancels a withdrawal that is still pending, and gives the money back (Decision D13). */
  cancelWithdrawal(command: CancelCommand): Promise<IdempotentOutcome<Withdrawal>>;
  fund(command: FundCommand): Promise<IdempotentOutcome<Funding>>;
  /** Has events delivered again (Decision D35). */
  redeliver(command: RedeliverCommand): Promise<IdempotentOutcome<Redelivery>>;
  /** Resumes delivery to the partner's endpoint (Decision D54). */
  enableWebhook(command: EnableWebhookCommand): Promise<IdempotentOutcome<WebhookEnabled>>;
  /**
   * Spends a nonce separately (Decision D25): true when it was fresh.
   *
   * @throws UnavailableError when the database cannot be reached
   */
  spendNonce(nonce: SignedNonce & { partnerId: number }): Promise<boolean>;
  /** What a key made, for a 409 before the body is looked at (Decision D26). */
  findIdempotencyKey(
    query: { partnerId: number; idempotencyKey: string },
  ): Promise<KnownKey | undefined>;
  /**
   * Notes that a key made a row of control's, so that it makes nothing else (Decision D27); returns a refusal when
   * the partner is being moved.
   */
  keepKey: Writes["keepKey"];
  /** Items that wait for their batch. */
  queueDepth(): number;
}

/** Thrown where no refusal can be returned; contains the refusal for the answer. */
export class UnavailableError extends Error {
  readonly refusal: Refusal;

  constructor(refusal: Refusal) {
    super(refusal.code);
    this.name = "UnavailableError";
    this.refusal = refusal;
  }
}

/** Trading on one database. */
export function createTrading(parts: TradingRules & WritesParts): Trading {
  return createTradingOn(createWrites(parts), parts);
}

/** Creates trading of the rules and of the writes. */
export function createTradingOn(writes: Writes, { prices, random, now }: TradingRules): Trading {
  async function fund(command: FundCommand): Promise<IdempotentOutcome<Funding>> {
    const { amountHalalas } = command.request;
    const refusal = outOfBounds("SAR", amountHalalas, FUNDING_MIN_HALALAS, FUNDING_MAX_HALALAS);
    if (refusal && !await isKnown(command)) return refusal;
    return await writes.fund(commandItem(command, random));
  }

  /** Spends a command's nonce; returns a refusal when that fails, otherwise undefined. */
  async function spend({ partner, nonce }: SignedCommand<unknown>): Promise<Refusal | undefined> {
    const spent = await writes.spend({ partnerId: partner.partnerId, nonce });
    if ("ok" in spent) return spent;
    return spent.fresh ? undefined : refuse("nonce_reused");
  }

  async function isKnown(
    { partner, idempotencyKey }: { partner: { partnerId: number }; idempotencyKey: string },
  ): Promise<boolean> {
    return await writes.findKey({ partnerId: partner.partnerId, idempotencyKey }) !== undefined;
  }

  return {
    price: (settings) => priceNow(prices, now(), settings),
    quote: (command) => writes.quote(quoteItem(command, prices.latest(now()), random)),
    order: (command) => writes.order(orderItem(command, random)),
    withdraw: async (command) =>
      await spend(command) ?? await writes.withdraw(commandItem(command, random)),
    cancelWithdrawal: async (command) =>
      await spend(command) ?? await writes.cancel(commandItem(command, random)),
    fund,
    enableWebhook: async (command) =>
      await spend(command) ?? await writes.enableWebhook(commandItem(command, random)),
    redeliver: (command) => writes.redeliver({ command }),
    async spendNonce({ partnerId, ...nonce }) {
      const spent = await writes.spend({ partnerId, nonce });
      if ("ok" in spent) throw new UnavailableError(spent);
      return spent.fresh;
    },
    findIdempotencyKey: writes.findKey,
    keepKey: writes.keepKey,
    queueDepth: writes.waiting,
  };
}
