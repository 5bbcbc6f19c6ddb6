import { bigint, boolean, integer, pgTable, text, uuid } from "drizzle-orm/pg-core";
import { moment } from "@sabika/database";
import type { PriceKind } from "../prices/price_source.ts";

const amount = (name: string) => bigint(name, { mode: "bigint" });

/**
 * Firm quotes (Decision D10): written once, never changed; state is derived. Columns that partners see are named as
 * in the record `Quote`, which is read from them.
 */
export const quotes = pgTable("quotes", {
  partnerId: integer("partner_id").notNull(),
  quoteId: uuid("quote_id").notNull(),
  goldMicrograms: amount("gold_micrograms").notNull(),
  pricePerGramTenThousandths: amount("price_ten_thousandths").notNull(),
  feeHalalas: amount("fee_halalas").notNull(),
  /** Of the fee, and before Decision D93 of the gold of a buy too. */
  vatRatePpm: amount("vat_ppm").notNull(),
  vatHalalas: amount("vat_halalas").notNull(),
  totalHalalas: amount("total_halalas").notNull(),
  priceAsOfMs: moment("price_as_of").notNull(),
  createdAtMs: moment("created_at").notNull(),
  expiresAtMs: moment("expires_at").notNull(),
  side: text("side").$type<"buy" | "sell">().notNull(),
  /** The money of a quote that was requested by money; null otherwise (Decision D47). */
  requestedHalalas: amount("requested_halalas"),
  /** The price that the terms follow from, with spread and fee (Decision D88); null for older quotes. */
  priceNumber: amount("price_number"),
  spreadRatePpm: amount("spread_ppm"),
  feeRatePpm: amount("fee_ppm"),
  /** What else orders keep of it (Decision D93); null for older quotes. */
  midPriceTenThousandths: amount("mid_ten_thousandths"),
  priceSource: text("price_source").$type<PriceKind>(),
  goldVatRatePpm: amount("gold_vat_ppm"),
  feeVatHalalas: amount("fee_vat_halalas"),
  disclosesSpread: boolean("discloses_spread"),
});
