import type { Operator, readApprovalPolicy } from "@sabika/core/admin";
import type { WithdrawalToPay } from "@sabika/core/bank";
import type { Difference } from "@sabika/core/ledger";
import type { Approval } from "@sabika/core/office";
import type { FundingOf, Trade } from "@sabika/core/oversight";
import type { CredentialEntry, listAuthorities, PartnerRecord } from "@sabika/core/partners";
import type { PriceOrigin } from "@sabika/core/trading";
import type { readVaultReport } from "@sabika/core/vault";
import {
  BOOLEAN,
  HALALAS,
  INTEGER,
  jsonString,
  MICROGRAMS,
  nullable,
  ORDER,
  PRICE_PER_GRAM,
  STRING,
  TIME,
} from "@sabika/protocol";
import { array, JSON_VALUE, member, object, PERCENT, type Written } from "./written.ts";

/** What a partner has, and what is held for it. */
export interface Holdings {
  readonly sarHalalas: bigint;
  readonly heldHalalas: bigint;
  readonly goldMicrograms: bigint;
  readonly allocationMicrograms: bigint;
}

const HOLDINGS = object<Holdings>("Holdings", {
  sar: member(HALALAS, (own) => own.sarHalalas, "What it can spend."),
  held_sar: member(HALALAS, (own) => own.heldHalalas, "Of withdrawals that are not finished."),
  gold_grams: member(MICROGRAMS, (own) => own.goldMicrograms),
  allocation_grams: member(
    MICROGRAMS,
    (own) => own.allocationMicrograms,
    "How much of the vault it may hold.",
  ),
});

/** A partner with what it has. */
export interface PartnerView extends PartnerRecord {
  readonly holdings: Holdings;
}

const NAMES = {
  client_id: member(STRING, (one: PartnerView) => one.clientId),
  name: member(STRING, (one: PartnerView) => one.name),
  status: member(STRING, (one: PartnerView) => one.status, "`active` or `suspended`."),
  holdings: member(HOLDINGS, (one: PartnerView) => one.holdings),
};

/** A partner in the list of all. */
export const PARTNER_ROW = object<PartnerView>("PartnerRow", NAMES);

const SETTINGS = object<PartnerRecord["settings"]>("PartnerSettings", {
  spread_percent: member(PERCENT, (of) => of.spreadPpm),
  fee_percent: member(PERCENT, (of) => of.feePpm),
  vat_percent: member(PERCENT, (of) => of.vatPpm),
  min_grams: member(MICROGRAMS, (of) => of.quoteMinMicrograms),
  max_grams: member(MICROGRAMS, (of) => of.quoteMaxMicrograms),
  open_quotes: member(INTEGER, (of) => of.openQuotesLimit),
  rates: member(JSON_VALUE, (of) => of.rateLimits, "By class: `perSecond` and `burst`."),
});

/** A partner, whole. */
export const PARTNER = object<PartnerView>("Partner", {
  ...NAMES,
  settlement_iban: member(STRING, (one) => one.settlementIban),
  webhook_url: member(nullable(STRING), (one) => one.webhookUrl),
  addresses: member(
    array(STRING),
    (one) => one.addresses,
    "CIDRs that it calls from; none: anywhere.",
  ),
  settings: member(SETTINGS, (one) => one.settings),
});

/** A credential, never its secret. */
export const CREDENTIAL = object<CredentialEntry>("Credential", {
  client_id: member(STRING, (one) => one.clientId),
  kind: member(STRING, (one) => one.kind),
  id: member(STRING, (one) => one.credentialId),
  serial: member(nullable(STRING), (one) => one.serial, "Of a certificate."),
  scope: member(nullable(STRING), (one) => one.scope, "Of a certificate: what tokens may allow."),
  token_auth: member(nullable(STRING), (one) => one.tokenAuth, "Of a certificate."),
  state: member(STRING, (one) => one.state, "`active`, `ended` or `revoked`."),
  valid_from: member(TIME, (one) => one.validFromMs),
  valid_until: member(nullable(TIME), (one) => one.validUntilMs),
});

/** An order, and whose it is. */
export const TRADE: Written<Trade> = {
  shape: {
    ...ORDER.shape,
    title: "Trade",
    properties: { client_id: { type: "string" }, ...ORDER.shape.properties },
  },
  write: (one) => `{"client_id":${jsonString(one.clientId)},${ORDER.write(one).slice(1)}`,
};

/** Money that came in, and for whom. */
export const FUNDING_OF = object<FundingOf>("FundingOf", {
  client_id: member(STRING, (one) => one.clientId),
  id: member(STRING, (one) => one.id),
  amount_sar: member(HALALAS, (one) => one.amountHalalas),
  balance_sar: member(HALALAS, (one) => one.balanceHalalas, "Right after it."),
  reference: member(nullable(STRING), (one) => one.reference, "The bank's; none in the sandbox."),
  created_at: member(TIME, (one) => one.createdAtMs),
});

/** A withdrawal as whoever pays it sees it. */
export const WITHDRAWAL_TO_PAY = object<WithdrawalToPay>("WithdrawalToPay", {
  id: member(STRING, (one) => one.id),
  client_id: member(STRING, (one) => one.clientId),
  status: member(STRING, (one) => one.status),
  amount_sar: member(HALALAS, (one) => one.amountHalalas),
  iban: member(STRING, (one) => one.iban, "Whole: it is what is paid to."),
  client_reference: member(nullable(STRING), (one) => one.clientReference),
  created_at: member(TIME, (one) => one.createdAtMs),
});

/** What waits for a second person, or waited. */
export const APPROVAL = object<Approval>("Approval", {
  id: member(STRING, (one) => one.id),
  act: member(STRING, (one) => one.act),
  arguments: member(JSON_VALUE, (one) => one.arguments),
  requester: member(STRING, (one) => one.requester),
  requested_at: member(TIME, (one) => one.requestedAtMs),
  expires_at: member(TIME, (one) => one.expiresAtMs),
  state: member(STRING, (one) => one.state, "`waiting`, `expired`, `done`, `rejected` or `void`."),
  decider: member(nullable(STRING), (one) => one.decider),
  decided_at: member(nullable(TIME), (one) => one.decidedAtMs),
  reason: member(nullable(STRING), (one) => one.reason),
  sha256: member(STRING, (one) => one.sha256, "An argument of `approval.approve`."),
  facts: member(STRING, (one) => one.facts, "What it was asked for on, JSON text."),
});

/** An entry of the audit log. */
export interface AuditView {
  readonly auditId: bigint;
  readonly atMs: number;
  readonly who: string;
  readonly from: string;
  readonly action: string;
  readonly clientId: string | null;
  readonly detail: object;
}

export const AUDIT_ENTRY = object<AuditView>("AuditEntry", {
  sequence: member(INTEGER, (one) => Number(one.auditId)),
  at: member(TIME, (one) => one.atMs),
  who: member(STRING, (one) => one.who),
  from: member(STRING, (one) => one.from),
  action: member(STRING, (one) => one.action),
  client_id: member(nullable(STRING), (one) => one.clientId),
  detail: member(JSON_VALUE, (one) => one.detail),
});

const KEY = object<Operator["keys"][number]>("OperatorKey", {
  key_id: member(STRING, (key) => key.keyId, "RFC 7638 thumbprint."),
  public_jwk: member(JSON_VALUE, (key) => key.publicJwk),
  rp_id: member(nullable(STRING), (key) => key.rpId, "Of a passkey: its host."),
  valid_from: member(TIME, (key) => key.validFromMs),
  valid_until: member(nullable(TIME), (key) => key.validUntilMs),
});

const IDENTITY = object<Operator["identities"][number]>("OperatorIdentity", {
  issuer: member(STRING, (one) => one.issuer),
  subject: member(STRING, (one) => one.subject, "As the provider's ID tokens have it."),
  valid_from: member(TIME, (one) => one.validFromMs),
  valid_until: member(nullable(TIME), (one) => one.validUntilMs),
});

export const OPERATOR = object<Operator>("Operator", {
  name: member(STRING, (one) => one.name),
  enabled: member(BOOLEAN, (one) => one.enabled),
  roles: member(array(STRING), (one) => one.roles),
  created_at: member(TIME, (one) => one.createdAtMs),
  keys: member(array(KEY), (one) => one.keys),
  identities: member(array(IDENTITY), (one) => one.identities),
});

type Policy = Awaited<ReturnType<typeof readApprovalPolicy>>;

export const POLICY = object<Policy>("Policy", {
  rules: member(
    array(object<Policy["rules"][number]>("Rule", {
      act: member(STRING, (rule) => rule.act),
      conditions: member(array(STRING), (rule) => rule.conditions, "Any of these; none: always."),
      approvers: member(array(STRING), (rule) => rule.approvers),
    })),
    (policy) => policy.rules,
  ),
  wait_seconds: member(INTEGER, (policy) => policy.waitSeconds),
});

type Vault = Awaited<ReturnType<typeof readVaultReport>>;

export const VAULT = object<Vault>("Vault", {
  bars: member(INTEGER, (vault) => vault.bars),
  bars_grams: member(MICROGRAMS, (vault) => vault.barsMicrograms),
  promised_grams: member(MICROGRAMS, (vault) => vault.promisedMicrograms),
  free_grams: member(MICROGRAMS, (vault) => vault.freeMicrograms),
  partners: member(
    array(object<Vault["partners"][number]>("PartnersGold", {
      client_id: member(STRING, (one) => one.clientId),
      gold_grams: member(MICROGRAMS, (one) => one.goldMicrograms),
      allocation_grams: member(MICROGRAMS, (one) => one.allocationMicrograms),
    })),
    (vault) => vault.partners,
  ),
});

/** Where prices come from. */
export interface PricesView {
  readonly source: PriceOrigin["source"];
  readonly paused: boolean;
  readonly updatedAtMs: number;
  readonly midTenThousandths: bigint | null;
  /** Without its query, which may hold a key. */
  readonly feedUrl: string | null;
}

export const PRICES = object<PricesView>("Prices", {
  source: member(STRING, (prices) => prices.source, "`simulated`, `fixed` or `feed`."),
  paused: member(BOOLEAN, (prices) => prices.paused),
  mid_price_sar: member(
    nullable(PRICE_PER_GRAM),
    (prices) => prices.midTenThousandths,
    "If fixed.",
  ),
  feed_url: member(nullable(STRING), (prices) => prices.feedUrl, "Without its query."),
  updated_at: member(TIME, (prices) => prices.updatedAtMs),
});

export const AUTHORITY = object<Awaited<ReturnType<typeof listAuthorities>>[number]>("Authority", {
  name: member(STRING, (one) => one.name),
  sha256: member(STRING, (one) => one.sha256),
  valid_until: member(TIME, (one) => one.validUntilMs),
});

/** Something that does not agree, of a partner by its client id. */
export interface DifferenceView extends Difference {
  readonly clientId: string | null;
}

export const DIFFERENCE = object<DifferenceView>("Difference", {
  client_id: member(nullable(STRING), (one) => one.clientId),
  check: member(STRING, (one) => one.check),
  subject: member(STRING, (one) => one.subject),
  expected: member(
    STRING,
    (one) => String(one.expected),
    "Minor units, counts or epoch milliseconds, by the check.",
  ),
  actual: member(STRING, (one) => String(one.actual)),
});
