import { bigint, boolean, integer, pgTable, text, uuid } from "drizzle-orm/pg-core";
import { moment } from "@sabika/database";
import type { PriceKind } from "../prices/price_source.ts";

const amount = (name: string) => bigint(name, { mode: "bigint" });

/**
 * Executed orders (Decision D11) with the balances of their answers; never changed. Columns that partners
 * see have the names of the record `Order`.
 *
 * There is no foreign key to quotes: its check would read and lock each quote again, a tenth of an
 * order's cost in the database. `place_orders` takes the terms from the quote's own row in the same
 * transaction, nothing deletes quotes, and `reconcile` compares the two.
 */
export const orders = pgTable("orders", {
  partnerId: integer("partner_id").notNull(),
  orderId: uuid("order_id").notNull(),
  quoteId: uuid("quote_id").notNull(),
  goldMicrograms: amount("gold_micrograms").notNull(),
  pricePerGramTenThousandths: amount("price_ten_thousandths").notNull(),
  feeHalalas: amount("fee_halalas").notNull(),
  vatHalalas: amount("vat_halalas").notNull(),
  totalHalalas: amount("total_halalas").notNull(),
  cashAfterHalalas: amount("cash_after_halalas").notNull(),
  goldAfterMicrograms: amount("gold_after_micrograms").notNull(),
  executedAtMs: moment("executed_at").notNull(),
  side: text("side").$type<"buy" | "sell">().notNull(),
  clientReference: text("client_reference"),
  /** The price and the rates that its quote followed from (Decision D93); null for older orders. */
  priceNumber: amount("price_number"),
  midPriceTenThousandths: amount("mid_ten_thousandths"),
  spreadRatePpm: amount("spread_ppm"),
  feeRatePpm: amount("fee_ppm"),
  goldVatRatePpm: amount("gold_vat_ppm"),
  feeVatRatePpm: amount("fee_vat_ppm"),
  feeVatHalalas: amount("fee_vat_halalas"),
  priceAsOfMs: moment("price_as_of"),
  priceSource: text("price_source").$type<PriceKind>(),
  /** Whether the partner sees mid price and spread. */
  disclosesSpread: boolean("discloses_spread"),
  /** The version of its pool in force at the trade (Decision D102); null for older orders: not known. */
  poolVersionId: integer("pool_version_id"),
});
