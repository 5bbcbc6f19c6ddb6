import { refuse } from "@sabika/protocol";
import { pausePrices } from "@sabika/service/prices";
import { addBar, moveBar, recordCount, removeBar, type Seen } from "@sabika/service/vault";
import { act, booked } from "./act.ts";
import * as checked from "./argument_checks.ts";
import { members, oneOf, optional, price, riyals, text, whole } from "./arguments.ts";
import { creditFunding } from "./bookings/fundings.ts";
import { grantGold } from "./bookings/grants.ts";
import { moveWithdrawal } from "./bookings/withdrawals.ts";
import { describeCount } from "./dossier/count_lines.ts";
import { describeBar, describeGrant, describeMove, describeNewBar } from "./dossier/gold_lines.ts";
import { describeCredit, describeWithdrawal } from "./dossier/money_lines.ts";
import { describePrices, describeQuoting } from "./dossier/price_lines.ts";
import { readSeen, seenBars, unexpectedBars } from "./seen_bars.ts";
import { PRICE_SOURCES, setPrices } from "./set_prices.ts";

const partner = text;

/** With the partner and the amount that whoever signs has seen, which rules can name. */
const WITHDRAWAL = { withdrawal: text, partner: optional(text), amount_sar: optional(riyals) };

/** Acts on gold, money and prices. */
export const MONEY_ACTS = {
  "vault.bar.add": act(
    {
      serial: checked.serial,
      refiner: text,
      fineness: checked.barFineness,
      weight_grams: checked.barWeight,
      place: optional(checked.place),
      document: optional(checked.documentReference),
    },
    describeNewBar,
    (admin, { serial, refiner, fineness, weight_grams, place, document }) =>
      addBar(admin, {
        serial,
        refiner,
        finenessTenThousandths: Number(fineness),
        weightMicrograms: weight_grams,
        ...place !== undefined && { place },
        ...document !== undefined && { document },
      }),
  ),
  "vault.bar.move": act(
    { serial: text, place: checked.place },
    describeMove,
    (admin, { serial, place }) => moveBar(admin, serial, place),
  ),
  "vault.bar.remove": act(
    { serial: text },
    describeBar,
    (admin, { serial }) => removeBar(admin, serial),
  ),
  "vault.count": act(
    { place: optional(checked.place), bars: seenBars, unexpected: optional(unexpectedBars) },
    describeCount,
    (admin, { place, bars, unexpected = [] }) => {
      const seen = bars.map(readSeen);
      if (seen.includes(undefined)) {
        return Promise.resolve(refuse("invalid_amount", "a bar is SERIAL or SERIAL=GRAMS"));
      }
      return recordCount(admin, { place, bars: seen as Seen["bars"], unexpected });
    },
  ),
  "vault.allocate": booked(
    { partner, grams: checked.gold },
    describeGrant("allocate"),
    grantGold("allocate"),
  ),
  "vault.release": booked(
    { partner, grams: checked.gold },
    describeGrant("release"),
    grantGold("release"),
  ),

  "funding.credit": booked(
    { partner, amount_sar: checked.credit, reference: checked.reference },
    describeCredit,
    creditFunding,
  ),
  "withdrawal.processing": booked(
    WITHDRAWAL,
    describeWithdrawal("processing"),
    moveWithdrawal("processing"),
  ),
  "withdrawal.completed": booked(
    WITHDRAWAL,
    describeWithdrawal("completed"),
    moveWithdrawal("completed"),
  ),
  "withdrawal.cancelled": booked(
    WITHDRAWAL,
    describeWithdrawal("cancelled"),
    moveWithdrawal("cancelled"),
  ),
  "withdrawal.failed": booked(
    { ...WITHDRAWAL, failure: checked.reason },
    describeWithdrawal("failed"),
    moveWithdrawal("failed"),
  ),

  "price.set": act(
    {
      source: oneOf(PRICE_SOURCES),
      mid_price_sar: optional(checked.price),
      seed: optional(whole),
      base_price_sar: optional(price),
      feed: optional(members),
      url_sha256: optional(text),
    },
    describePrices,
    setPrices,
  ),
  "price.pause": act({}, describeQuoting(true), (admin) => pausePrices(admin, true)),
  "price.resume": act({}, describeQuoting(false), (admin) => pausePrices(admin, false)),
} as const;
