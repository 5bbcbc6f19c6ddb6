import type { WithdrawalToPay } from "@sabika/core/bank";
import type { FundingOf, Trade, TradeStory } from "@sabika/core/oversight";
import type {
  DeliveryAttempt,
  EventDeliveryStatus,
  LedgerEntry,
  Page,
  PartnerEvent,
  Quote,
  QuoteStatus,
  Side,
  Statement,
} from "@sabika/protocol";

/** Which part of a list is asked for; newest first. */
export interface PartOfList {
  /** 1 to 100. */
  readonly limit: number;
  /** `nextCursor` of the page before. */
  readonly after?: string | undefined;
}

/** What narrows a list; what is left out narrows nothing. */
export interface Filter extends PartOfList {
  /** Inclusive. */
  readonly fromMs?: number | undefined;
  /** Exclusive. */
  readonly untilMs?: number | undefined;
}

/** What narrows a list of one partner's. */
export interface PartnersFilter extends Filter {
  readonly partner: string;
  /** The Idempotency-Key that made it. */
  readonly key?: string | undefined;
}

/** A resource, and whose it is. */
export type Owned<T> = T & { readonly clientId: string };

/** A day's statement whose entries come some thousands at a time. */
export interface DaysStatement extends Omit<Statement, "entries"> {
  pages(): AsyncIterable<readonly LedgerEntry[]>;
}

/** A day of a partner's: what it began and ended with, and how many entries it has. */
export type DaysBalances = Omit<Statement, "entries"> & { readonly count: bigint };

/**
 * What commands read. What is asked of a partner that is not there is refused; a resource that is not
 * there is undefined.
 */
export interface Reads {
  /** Of all partners or one. */
  orders(
    of: Filter & { partner?: string | undefined; side?: Side | undefined },
  ): Promise<Page<Trade>>;
  /** @param text the order's id, its quote's, its event's, or its Idempotency-Key */
  order(text: string): Promise<TradeStory | undefined>;
  quotes(of: PartnersFilter & { status?: QuoteStatus | undefined }): Promise<Page<Quote>>;
  quote(id: string): Promise<Owned<Quote> | undefined>;
  events(
    of: PartnersFilter & { status?: EventDeliveryStatus | undefined },
  ): Promise<Page<PartnerEvent>>;
  /** With every attempt that is kept, oldest first. */
  event(id: string): Promise<
    | {
      readonly clientId: string;
      readonly event: PartnerEvent;
      readonly attempts: readonly DeliveryAttempt[];
    }
    | undefined
  >;
  /** Of all partners or one. */
  fundings(
    of: Filter & { partner?: string | undefined; reference?: string | undefined },
  ): Promise<Page<FundingOf>>;
  funding(id: string): Promise<FundingOf | undefined>;
  withdrawal(id: string): Promise<WithdrawalToPay | undefined>;
  /** Undefined when the day is not a date or has not begun. */
  statement(of: { partner: string; day: string }): Promise<DaysStatement | undefined>;
  /** The days that end with the given one, newest first; none that has not begun. */
  statements(
    of: { partner: string; until: string; days: number },
  ): Promise<readonly DaysBalances[]>;
}
