import { pausePrices } from "@sabika/service/prices";
import { attestReserve, setReserveBank } from "@sabika/service/reserves";
import { act, booked } from "./act.ts";
import * as checked from "./argument_checks.ts";
import { members, oneOf, optional, price, riyals, text, whole } from "./arguments.ts";
import { creditFunding } from "./bookings/fundings.ts";
import { moveWithdrawal } from "./bookings/withdrawals.ts";
import { describeBank, describeCredit, describeWithdrawal } from "./dossier/money_lines.ts";
import { describeAttestation } from "./dossier/attestation_lines.ts";
import { describePrices, describeQuoting } from "./dossier/price_lines.ts";
import { PRICE_SOURCES, setPrices } from "./set_prices.ts";

const partner = text;

/** With the partner and the amount that whoever signs has seen, which rules can name. */
const WITHDRAWAL = { withdrawal: text, partner: optional(text), amount_sar: optional(riyals) };

/** Acts on money and prices. */
export const MONEY_ACTS = {
  "funding.credit": booked(
    { partner, amount_sar: checked.credit, reference: checked.reference },
    describeCredit,
    creditFunding,
  ),
  "reserve.bank.set": act(
    { day: checked.day, amount_sar: riyals },
    describeBank,
    (admin, { day, amount_sar }) => setReserveBank(admin, { day, amountHalalas: amount_sar }),
  ),
  "reserve.attest": act(
    { day: checked.day, signature: text },
    describeAttestation,
    (admin, { day, signature }) => attestReserve(admin, day, signature.trim()),
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
