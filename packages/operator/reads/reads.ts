import type { AuditEntry, SignedEntry } from "@sabika/core/admin";
import type { WithdrawalToPay } from "@sabika/core/bank";
import type { Approval } from "@sabika/core/office";
import type {
  DaysBalances,
  EventStory,
  FundingOf,
  QuoteOf,
  Trade,
  TradeStory,
} from "@sabika/core/oversight";
import type { TokenKeyEntry } from "@sabika/core/partners";
import type {
  AuditHeadView,
  Authority,
  Bar,
  CredentialView,
  DeploymentView,
  DifferenceView,
  OperatorView,
  PartnerRow,
  PartnerView,
  Policy,
  Vault,
} from "@sabika/office/wire";
import type {
  CredentialKind,
  EventDeliveryStatus,
  LedgerEntry,
  Page,
  PartnerEvent,
  Quote,
  QuoteStatus,
  Side,
  Statement,
  WithdrawalStatus,
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

/** A day's statement whose entries come some thousands at a time. */
export interface DaysStatement extends Omit<Statement, "entries"> {
  pages(): AsyncIterable<readonly LedgerEntry[]>;
}

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
  quote(id: string): Promise<QuoteOf | undefined>;
  events(
    of: PartnersFilter & { status?: EventDeliveryStatus | undefined },
  ): Promise<Page<PartnerEvent>>;
  /** With every attempt that is kept, oldest first. */
  event(id: string): Promise<EventStory | undefined>;
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
  /** By client id. */
  partners(): Promise<readonly PartnerRow[]>;
  partner(id: string): Promise<PartnerView | undefined>;
  /** Ended ones too, oldest first; undefined for whom no role opens them. */
  credentials(
    of: { partner?: string | undefined; kind?: CredentialKind | undefined },
  ): Promise<readonly CredentialView[] | undefined>;
  /** Oldest first; without a status those that are not finished. */
  withdrawals(of: {
    partner?: string | undefined;
    status?: WithdrawalStatus | "all" | undefined;
    limit: number;
  }): Promise<readonly WithdrawalToPay[]>;
  approvals(state: "waiting" | "all"): Promise<readonly Approval[]>;
  approval(id: string): Promise<Approval | undefined>;
  policy(): Promise<Policy>;
  operators(): Promise<readonly OperatorView[]>;
  deployment(): Promise<DeploymentView>;
  /** Newest first. */
  audit(of: { partner?: string | undefined; limit: number }): Promise<readonly AuditEntry[]>;
  auditHead(): Promise<AuditHeadView>;
  /** With its signature, verified now. */
  auditEntry(auditId: bigint): Promise<SignedEntry | undefined>;
  /** Those that have not ended, newest first. */
  tokenKeys(): Promise<readonly TokenKeyEntry[]>;
  /**
   * What does not agree: of one partner, of everything, or of what came since the last recount.
   *
   * @returns how many partners were recounted, and since when
   */
  recount(of: { partner?: string | undefined; full: boolean }): Promise<{
    readonly differences: readonly DifferenceView[];
    readonly sinceMs: number | undefined;
    readonly partners: number;
  }>;
  vault(): Promise<Vault>;
  bars(): Promise<readonly Bar[]>;
  authorities(): Promise<readonly Authority[]>;
}
