import {
  BALANCES,
  DELIVERY_ATTEMPT,
  type Form,
  LEDGER_ENTRY,
  list,
  nullable,
  oneOf,
  PRICE_PER_GRAM,
  PRICE_SOURCES,
  QUOTE,
  SIGNED_EVIDENCE,
  STRING,
  TIME,
} from "@sabika/protocol";
import { member, record } from "@sabika/protocol/record-form";
import type { RecordedPrice, TradeStory } from "../oversight/trade_story.ts";
import { TRADE } from "./partner_forms.ts";
import { BIG_TEXT, EVENT, jsonObject } from "./values.ts";

const TEXT = nullable(STRING);

/** The form of a price of the book; its number is text, since it has more digits than JSON's numbers keep. */
const RECORDED_PRICE: Form<RecordedPrice> = record<RecordedPrice>("recorded price", {
  priceNumber: member("number", BIG_TEXT),
  source: member("source", oneOf(PRICE_SOURCES)),
  midPriceTenThousandths: member("mid_price_sar", PRICE_PER_GRAM),
  asOfMs: member("as_of", TIME, "The feed's own time."),
  arrivedAtMs: member("arrived_at", TIME, "By the database's clock."),
  origin: member("origin", TEXT, "The feed's host, or who set it; null if not known."),
  rawValue: member("raw_value", TEXT, "The number as it came."),
  rawUnit: member("raw_unit", TEXT),
  conversion: member("conversion", TEXT, "How it became riyals a gram; null if it was."),
  accepted: member("accepted", TEXT, "Why it was accepted."),
});

/** The form of one trade with its quote, transfers, event and deliveries. */
export const TRADE_STORY: Form<TradeStory> = record<TradeStory>("trade story", {
  trade: member("order", TRADE),
  partnerName: member("partner_name", STRING),
  receivedAtMs: member("received_at", TIME),
  balancesAfter: member("balances_after", BALANCES),
  requests: member(
    "requests",
    list(SIGNED_EVIDENCE),
    "The signed request as it came; none from before evidence was kept, or after it was dropped.",
  ),
  receipt: member(
    "receipt",
    TEXT,
    "As it was signed; null while it is not signed, and for an order of before receipts.",
  ),
  price: member(
    "price",
    nullable(RECORDED_PRICE),
    "The price that its quote was made at; null when it is not known.",
  ),
  quote: member("quote", nullable(QUOTE)),
  transfers: member("transfers", list(LEDGER_ENTRY), "Of money, gold, and VAT if there is any."),
  event: member("event", nullable(EVENT)),
  attempts: member("attempts", list(DELIVERY_ATTEMPT), "The newest 100, newest first."),
  checks: member(
    "checks",
    jsonObject<TradeStory["checks"]>(),
    "Compared anew from the books; each must hold.",
  ),
});
