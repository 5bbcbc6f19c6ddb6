import { bigint, integer, pgTable, text, uuid } from "drizzle-orm/pg-core";
import { moment } from "@sabika/database";

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
  spreadPpm: amount("spread_ppm"),
  feePpm: amount("fee_ppm"),
});
