import type { WithdrawalToPay } from "@sabika/service/bank";
import type { accounts as accountsTable } from "@sabika/service/ledger";
import type { OpenMove, PartnerMove } from "@sabika/service/moving";
import type { CredentialEntry, PartnerRecord } from "@sabika/service/partners";
import { TERM_ENTRIES, type TermKey, type TermUnit } from "@sabika/terms";
import type { DaysBalances } from "../oversight/list_days.ts";
import type { Margin } from "../oversight/list_margins.ts";
import type { FundingOf } from "../oversight/list_fundings.ts";
import type { QuoteOf } from "../oversight/list_quotes.ts";
import type { Trade } from "../oversight/list_trades.ts";
import { CHECKLIST_STEPS, type ChecklistItem } from "../oversight/checklist.ts";
import type { EventStory } from "../oversight/read_owned.ts";
import {
  BALANCES,
  BOOLEAN,
  CREDENTIAL_KINDS,
  DELIVERY_ATTEMPT,
  type Form,
  HALALAS,
  id,
  INTEGER,
  isJsonObject,
  jsonString,
  list,
  MICROGRAMS,
  nullable,
  oneOf,
  ORDER,
  QUOTE,
  STRING,
  TIME,
  WEBHOOK_ENDPOINT,
  type WebhookEndpoint,
  WITHDRAWAL_STATUSES,
} from "@sabika/protocol";
import { member, type Members, optional, record } from "@sabika/protocol/record-form";
import { EVENT, jsonObject, PERCENT, SIGNED_HALALAS } from "./values.ts";

/** A partner's cash and gold, the cash held for its withdrawals, and its allocation. */
export interface Holdings {
  readonly sarHalalas: bigint;
  readonly heldHalalas: bigint;
  readonly goldMicrograms: bigint;
  readonly allocationMicrograms: bigint;
}

/** Picks a partner's holdings out of the accounts of all partners; zeros for a partner without a row. */
export function holdingsOf(
  accounts: ReadonlyMap<number, typeof accountsTable.$inferSelect>,
  partnerId: number,
): Holdings {
  const holdings = accounts.get(partnerId);
  return {
    sarHalalas: holdings?.cashHalalas ?? 0n,
    heldHalalas: holdings?.withdrawalsHalalas ?? 0n,
    goldMicrograms: holdings?.goldMicrograms ?? 0n,
    allocationMicrograms: holdings?.allocationMicrograms ?? 0n,
  };
}

const HOLDINGS = record<Holdings>("holdings", {
  sarHalalas: member("sar", HALALAS, "What it can spend."),
  heldHalalas: member("held_sar", HALALAS, "Of withdrawals that are not finished."),
  goldMicrograms: member("gold_grams", MICROGRAMS),
  allocationMicrograms: member(
    "allocation_grams",
    MICROGRAMS,
    "How much of the vault it may hold.",
  ),
});

/** A partner in the list of all. */
export interface PartnerRow extends Pick<PartnerRecord, "clientId" | "name" | "status"> {
  /** Undefined while its cell cannot be asked, which only pages allow. */
  readonly holdings?: Holdings | undefined;
  /** Null when it has none. */
  readonly endpoint: WebhookEndpoint | null;
}

/** A partner with its holdings, endpoint, settings and move. */
export interface PartnerView
  extends
    Omit<PartnerRow, "holdings">,
    Pick<PartnerRecord, "cellId" | "settlementIban" | "webhookUrl" | "addresses" | "settings"> {
  readonly holdings: Holdings;
  /** The move that has not ended; undefined when there is none. */
  readonly moving?: MoveView | undefined;
}

/** A move that has not ended. */
export type MoveView = Pick<PartnerMove, "toCell" | "step" | "begunAt">;

const MOVE_STEP = oneOf(["copying", "fencing", "switched", "done", "cancelled"] as const);

const MOVE = record<MoveView>("partner move", {
  toCell: member("to", STRING, "The cell that it moves to."),
  step: member("step", MOVE_STEP),
  begunAt: member("since", TIME),
});

/** The form of a move in the list of those that have not ended. */
export const OPEN_MOVE: Form<OpenMoveView> = record<OpenMoveView>("open move", {
  clientId: member("client_id", STRING),
  fromCell: member("from", STRING),
  toCell: member("to", STRING),
  step: member("step", MOVE_STEP),
  begunAt: member("since", TIME),
  isHeld: member("carried_out", BOOLEAN, "Whether somebody carries it out now."),
});

/** A move in the list of those that have not ended. */
export type OpenMoveView = Pick<
  OpenMove,
  "clientId" | "fromCell" | "toCell" | "step" | "begunAt" | "isHeld"
>;

const NAMES = {
  clientId: member("client_id", STRING),
  name: member("name", STRING),
  status: member("status", oneOf(["active", "suspended"] as const)),
};
const ENDPOINT = member("webhook", nullable(WEBHOOK_ENDPOINT), "How its endpoint stands.");

/** The form of a partner in the list of all. */
export const PARTNER_ROW: Form<PartnerRow> = record<PartnerRow>("partner row", {
  ...NAMES,
  holdings: optional("holdings", HOLDINGS),
  endpoint: ENDPOINT,
});

const TERM_FORMS: Readonly<Record<TermUnit, Form<bigint> | Form<number>>> = {
  percent: PERCENT,
  grams: MICROGRAMS,
  count: INTEGER,
};
const TERM_MEMBERS = Object.fromEntries(
  TERM_ENTRIES.map((
    [key, { name, unit }],
  ) => [key, member(name, TERM_FORMS[unit] as Form<unknown>)]),
) as object as Members<Pick<PartnerRecord["settings"], TermKey>>;

const SETTINGS = record<PartnerRecord["settings"]>("partner settings", {
  ...TERM_MEMBERS,
  taxes: member(
    "taxes",
    nullable(jsonObject<NonNullable<PartnerRecord["settings"]["taxes"]>>()),
    "By the day from which they hold, instead of vat_percent: `gold_ppm` and `fee_ppm`.",
  ),
  disclosesSpread: member(
    "discloses_spread",
    BOOLEAN,
    "Whether it sees mid price and spread of its quotes and orders.",
  ),
  rateLimits: member(
    "rates",
    jsonObject<PartnerRecord["settings"]["rateLimits"]>(),
    "By class: `perSecond` and `burst`.",
  ),
});

/** The form of a partner with all that {@linkcode PartnerView} has. */
export const PARTNER: Form<PartnerView> = record<PartnerView>("partner", {
  ...NAMES,
  holdings: member("holdings", HOLDINGS),
  endpoint: ENDPOINT,
  cellId: member("cell", STRING, "Where its rows are."),
  moving: optional("moving", MOVE, "While it is moved to another cell."),
  settlementIban: member("settlement_iban", STRING),
  webhookUrl: member("webhook_url", nullable(STRING)),
  addresses: member(
    "addresses",
    list(STRING) as Form<string[]>,
    "CIDRs that it calls from; none: anywhere.",
  ),
  settings: member("settings", SETTINGS),
});

/** A credential, never its secret. */
export type CredentialView = Omit<CredentialEntry, "partnerId">;

/** The form of a credential. */
export const CREDENTIAL: Form<CredentialView> = record<CredentialView>("credential", {
  clientId: member("client_id", STRING),
  kind: member("kind", oneOf(CREDENTIAL_KINDS)),
  credentialId: member("id", STRING),
  serial: member("serial", nullable(STRING), "Of a certificate."),
  scope: member("scope", nullable(STRING), "Of a certificate: what tokens may allow."),
  tokenAuth: member(
    "token_auth",
    nullable(oneOf(["client_secret_post", "tls_client_auth"] as const)),
    "Of a certificate.",
  ),
  state: member("state", oneOf(["active", "ended", "revoked"] as const)),
  validFromMs: member("valid_from", TIME),
  validUntilMs: member("valid_until", nullable(TIME)),
});

/** The form of a partner's resource with the partner's id, for lists of all partners. */
function ofPartner<T extends object>(
  title: string,
  form: Form<T>,
): Form<T & { readonly clientId: string }> {
  const { properties } = form.shape as { properties: object };
  return {
    shape: { ...form.shape, title, properties: { client_id: { type: "string" }, ...properties } },
    write: (record) => `{"client_id":${jsonString(record.clientId)},${form.write(record).slice(1)}`,
    read: (value, at) => ({
      ...form.read(value, at),
      clientId: STRING.read(isJsonObject(value) ? value.get("client_id") ?? null : null, at),
    }),
  };
}

/** The form of an order with its partner's id. */
export const TRADE: Form<Trade> = ofPartner("Trade", ORDER);

/** The form of a quote with its partner's id. */
export const QUOTE_OF: Form<QuoteOf> = ofPartner("QuoteOf", QUOTE);

/** The form of a webhook endpoint's state with its partner's id. */
export const ENDPOINT_OF: Form<WebhookEndpoint & { readonly clientId: string }> = ofPartner(
  "EndpointOf",
  WEBHOOK_ENDPOINT,
);

/** The form of a funding with its partner's id. */
export const FUNDING_OF: Form<FundingOf> = record<FundingOf>("funding of", {
  clientId: member("client_id", STRING),
  id: member("id", id("fund")),
  amountHalalas: member("amount_sar", HALALAS),
  balanceHalalas: member("balance_sar", HALALAS, "Right after it."),
  reference: member("reference", nullable(STRING), "The bank's; none in the sandbox."),
  createdAtMs: member("created_at", TIME),
});

/** The form of a withdrawal for the person who pays it. */
export const WITHDRAWAL_TO_PAY: Form<WithdrawalToPay> = record<WithdrawalToPay>(
  "withdrawal to pay",
  {
    id: member("id", id("wd")),
    clientId: member("client_id", STRING),
    status: member("status", oneOf(WITHDRAWAL_STATUSES)),
    amountHalalas: member("amount_sar", HALALAS),
    iban: member("iban", STRING, "Whole: it is what is paid to."),
    clientReference: member("client_reference", nullable(STRING)),
    createdAtMs: member("created_at", TIME),
    completedAtMs: member("completed_at", nullable(TIME)),
    failure: member("failure", nullable(STRING), "Why it failed."),
  },
);

/** The form of an event with its attempts. */
export const EVENT_STORY: Form<EventStory> = record<EventStory>("event story", {
  clientId: member("client_id", STRING),
  event: member("event", EVENT),
  attempts: member("attempts", list(DELIVERY_ATTEMPT), "Every one that is kept, oldest first."),
});

/** The form of a partner's day. */
export const DAYS_BALANCES: Form<DaysBalances> = record<DaysBalances>("days balances", {
  date: member("date", STRING, "The day, in Riyadh."),
  provisional: member(
    "provisional",
    BOOLEAN,
    "Until ten minutes after the day's end: more may follow.",
  ),
  opening: member("opening", BALANCES, "As the day began."),
  closing: member("closing", BALANCES, "As it ended, or as it stands now."),
  count: member("entries", INTEGER, "How many there are."),
});

/** The form of a step of a partner's way until it is live. */
export const CHECKLIST_ITEM: Form<ChecklistItem> = record<ChecklistItem>("checklist item", {
  step: member("step", oneOf(CHECKLIST_STEPS)),
  done: member("done", BOOLEAN, "Whether the facts show it."),
  command: member("command", nullable(STRING), "What does it; null where the partner itself does."),
});

/** The form of what a partner's orders earned in an hour or a day. */
export const MARGIN: Form<Margin> = record<Margin>("margin", {
  startMs: member("start", TIME),
  clientId: member("client_id", STRING),
  orders: member("orders", INTEGER),
  unpriced: member(
    "orders_without_price",
    INTEGER,
    "From before prices were recorded: what they earned is not known, and not in the parts.",
  ),
  goldMicrograms: member("gold_grams", MICROGRAMS),
  totalHalalas: member("total_sar", HALALAS),
  spreadHalalas: member("spread_sar", SIGNED_HALALAS),
  feeHalalas: member("fee_sar", HALALAS),
  roundingHalalas: member("rounding_sar", SIGNED_HALALAS, "What rounding the parts left."),
  marginHalalas: member("margin_sar", SIGNED_HALALAS, "Spread, fee and rounding."),
});
