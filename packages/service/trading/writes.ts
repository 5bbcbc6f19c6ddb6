import type {
  Funding,
  IdempotentOutcome,
  Order,
  Quote,
  Redelivery,
  Refusal,
  WebhookEnabled,
  Withdrawal,
} from "@sabika/protocol";
import type { Database } from "@sabika/database";
import type { CommandItem } from "../batches/command_batch.ts";
import type {
  Command,
  EnableWebhookCommand,
  FundCommand,
  RedeliverCommand,
  WithdrawCommand,
} from "../batches/commands.ts";
import { createExecutor } from "../batches/executor.ts";
import { actAtHome, type Following, readAtHome } from "../batches/moved.ts";
import type { Cells } from "../cells/cells.ts";
import { enableOwnWebhook } from "../delivery/enable_webhook.ts";
import { redeliverEvents } from "../delivery/redeliver_events.ts";
import { keepKey } from "../credentials/keep_key.ts";
import { fundingWork } from "../fundings/credit_fundings.ts";
import { type NonceItem, nonceWork } from "../nonces/spend_nonces.ts";
import { type OrderItem, orderWork } from "../orders/place_orders.ts";
import { type QuoteItem, quoteWork } from "../quotes/make_quotes.ts";
import { type CancelItem, cancelWork } from "../withdrawals/cancel_withdrawals.ts";
import { withdrawalWork } from "../withdrawals/place_withdrawals.ts";
import { findIdempotencyKey, type KnownKey } from "./find_idempotency_key.ts";
import { isHome } from "./is_home.ts";

/** The kinds of batches, a label of metrics. */
export type BatchKind = "order" | "quote" | "funding" | "withdrawal" | "cancellation" | "nonce";

/**
 * The writes of partners. An item keeps its ids however often it is tried. Every promise resolves after
 * the commit. The writes of one cell answer `MOVED` for a partner of another.
 */
export interface Writes {
  order(item: OrderItem): Promise<IdempotentOutcome<Order>>;
  quote(item: QuoteItem): Promise<IdempotentOutcome<Quote>>;
  fund(item: CommandItem<FundCommand>): Promise<IdempotentOutcome<Funding>>;
  withdraw(item: CommandItem<WithdrawCommand>): Promise<IdempotentOutcome<Withdrawal>>;
  cancel(item: CancelItem): Promise<IdempotentOutcome<Withdrawal>>;
  spend(item: NonceItem): Promise<{ fresh: boolean } | Refusal>;
  enableWebhook(
    item: CommandItem<EnableWebhookCommand>,
  ): Promise<IdempotentOutcome<WebhookEnabled>>;
  redeliver(item: { command: RedeliverCommand }): Promise<IdempotentOutcome<Redelivery>>;
  /** Notes in the partner's cell that its key made a row of control's. */
  keepKey(item: { command: Command<unknown>; id: string }): Promise<Refusal | undefined>;
  /** What a key made. */
  findKey(query: { partnerId: number; idempotencyKey: string }): Promise<KnownKey | undefined>;
  /** Items that wait for their batch. */
  waiting(): number;
}

/** Writes of one cell. */
export interface CellWrites extends Writes {
  /** Whether the partner's accounts are here. */
  isHome(partnerId: number): Promise<boolean>;
}

/** Where one cell's writes go. */
export interface WritesParts {
  database: Database;
  /** Epoch milliseconds. */
  now: () => number;
  /** For tests: items that wait for one kind of batch at most; further ones get 503. */
  maxWaiting?: number;
  observe?: { batch(kind: BatchKind, size: number, seconds: number): void };
}

/** Creates the writes of one cell: an executor for each kind of batch, and single statements. */
export function createWrites({ database, now, maxWaiting, observe }: WritesParts): CellWrites {
  const options = (kind: BatchKind) => ({
    now,
    maxWaiting,
    observe: (size: number, seconds: number) => observe?.batch(kind, size, seconds),
  });
  const orders = createExecutor(orderWork(database, now), options("order"));
  const quotes = createExecutor(quoteWork(database), options("quote"));
  const fundings = createExecutor(fundingWork(database), options("funding"));
  const withdrawals = createExecutor(withdrawalWork(database), options("withdrawal"));
  const cancellations = createExecutor(cancelWork(database), options("cancellation"));
  const nonces = createExecutor(nonceWork(database), options("nonce"));
  return {
    order: orders.execute,
    quote: quotes.execute,
    fund: fundings.execute,
    withdraw: withdrawals.execute,
    cancel: cancellations.execute,
    spend: nonces.execute,
    enableWebhook: (item) => enableOwnWebhook(database, item),
    redeliver: ({ command }) => redeliverEvents(database, command),
    keepKey: (item) => keepKey(database, item),
    findKey: ({ partnerId, idempotencyKey }) =>
      findIdempotencyKey(database, partnerId, idempotencyKey),
    isHome: (partnerId) => isHome(database, partnerId),
    waiting: () =>
      [orders, quotes, fundings, withdrawals, cancellations, nonces].reduce(
        (sum, executor) => sum + executor.waiting(),
        0,
      ),
  };
}

/** Combines the writes of all cells: each partner's are made by the executors of its cell. */
export function writesAcross(cells: Cells<CellWrites>, following: Following): Writes {
  type Batched = { command: { partner: { partnerId: number } } };
  const byCommand =
    <Item extends Batched, R>(write: (query: Writes) => (item: Item) => Promise<R>) =>
    (item: Item) =>
      actAtHome(cells, item.command.partner.partnerId, (query) => write(query)(item), following);
  return {
    order: byCommand((query) => query.order),
    quote: byCommand((query) => query.quote),
    fund: byCommand((query) => query.fund),
    withdraw: byCommand((query) => query.withdraw),
    cancel: byCommand((query) => query.cancel),
    spend: (item) => actAtHome(cells, item.partnerId, (query) => query.spend(item), following),
    enableWebhook: byCommand((query) => query.enableWebhook),
    redeliver: byCommand((query) => query.redeliver),
    keepKey: byCommand((query) => query.keepKey),
    findKey: (key) => readAtHome(cells, key.partnerId, (query) => query.findKey(key), following),
    waiting: () => [...cells.all().values()].reduce((sum, query) => sum + query.waiting(), 0),
  };
}
