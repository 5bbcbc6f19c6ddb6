package sabika.client;

import java.math.BigDecimal;
import java.time.Instant;

/**
 * An executed order.
 *
 * @param goldVatSar the VAT on the gold, in {@code vatSar}; null if not known, as feeVatSar and priceSource
 * @param balances the balances after this order; null except in the answer to the order and its repeat
 */
public record Order(
    String id,
    String quoteId,
    String status,
    Side side,
    BigDecimal goldGrams,
    BigDecimal pricePerGramSar,
    BigDecimal feeSar,
    BigDecimal vatSar,
    BigDecimal goldVatSar,
    BigDecimal feeVatSar,
    String priceSource,
    BigDecimal totalSar,
    String clientReference,
    Instant executedAt,
    Balances balances) {
  static Order read(Members members) {
    boolean hasBalances = members.json().get("balances") != null;
    return new Order(
        members.text("id"),
        members.text("quote_id"),
        members.text("status"),
        Side.of(members.text("side")),
        members.number("gold_grams"),
        members.number("price_per_gram_sar"),
        members.number("fee_sar"),
        members.number("vat_sar"),
        members.numberOrNull("gold_vat_sar"),
        members.numberOrNull("fee_vat_sar"),
        members.textOrNull("price_source"),
        members.number("total_sar"),
        members.textOrNull("client_reference"),
        Instant.parse(members.text("executed_at")),
        hasBalances ? Balances.read(members.inner("balances")) : null);
  }
}
