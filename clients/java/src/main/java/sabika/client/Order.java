package sabika.client;

import java.math.BigDecimal;
import java.time.Instant;

/**
 * An executed order.
 *
 * @param balances right after this order; null but in the answer to the order and its repeat
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
    BigDecimal totalSar,
    String clientReference,
    Instant executedAt,
    Balances balances) {
  static Order read(Members of) {
    boolean hasBalances = of.json().get("balances") != null;
    return new Order(
        of.text("id"),
        of.text("quote_id"),
        of.text("status"),
        Side.of(of.text("side")),
        of.number("gold_grams"),
        of.number("price_per_gram_sar"),
        of.number("fee_sar"),
        of.number("vat_sar"),
        of.number("total_sar"),
        of.textOrNull("client_reference"),
        Instant.parse(of.text("executed_at")),
        hasBalances ? Balances.read(of.inner("balances")) : null);
  }
}
