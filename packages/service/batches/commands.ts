import type {
  FundingRequest,
  OrderRequest,
  QuoteRequest,
  RedeliveryRequest,
  WithdrawalRequest,
} from "@sabika/protocol";
import type { TradingSettings } from "@sabika/terms/pricing";

/** What trading needs to know about a partner; the register's `PartnerRecord` is one. */
export interface TradingPartner {
  readonly partnerId: number;
  readonly settings: TradingSettings;
}

/** A write that has passed the door: the partner is known and the body is parsed. */
export interface Command<Request> {
  readonly partner: TradingPartner;
  /** 1 to 255 visible ASCII characters (Decision D27). */
  readonly idempotencyKey: string;
  /** Method, path, query and canonical body: what the key stands for (Decision D27). */
  readonly parameters: string;
  /** When the request was received, by this instance's clock: within 1 s of the database's (D12). */
  readonly receivedAtMs: number;
  readonly request: Request;
}

/** A signed write: its nonce is spent whatever business rules say (Decision D25). */
export interface SignedCommand<Request> extends Command<Request> {
  readonly nonce: SignedNonce;
  /** What shows that the partner signed it, besides the nonce (Decision D86). */
  readonly evidence: SignedText;
}

/** The parts of a signed POST as they were received. */
export interface SignedText {
  /** As it was signed: absolute, or only the path. */
  readonly url: string;
  readonly body: string;
  /** The thumbprint of the key that verified the signature. */
  readonly keyId: string;
  /** The detached JWS. */
  readonly signature: string;
}

/** X-Nonce with X-Timestamp, Unix time in seconds. */
export interface SignedNonce {
  readonly value: string;
  readonly timestampSeconds: number;
}

/** Asks for a quote. */
export type QuoteCommand = Command<QuoteRequest>;
/** Adds money in the sandbox. */
export type FundCommand = Command<FundingRequest>;
/** Takes a quote. */
export type OrderCommand = SignedCommand<OrderRequest>;
/** Withdraws money to the settlement IBAN. */
export type WithdrawCommand = SignedCommand<WithdrawalRequest>;
/** Enables the partner's webhook endpoint again; the request has no members. */
export type EnableWebhookCommand = SignedCommand<object>;
/** Cancels a withdrawal, which the UUID inside its wire id names. */
export type CancelCommand = SignedCommand<{ readonly withdrawalId: string }>;
/** Sends events again: one, by the UUID inside its wire id, or a range. Unsigned: it moves no money. */
export type RedeliverCommand = Command<RedeliveryRequest | { readonly eventId: string }>;
