package sabika.client;

import java.math.BigDecimal;
import java.time.Instant;

/**
 * Firm for 60 seconds: an order that arrives before {@code expiresAt} has exactly {@code totalSar}.
 *
 * @param requestedAmountSar the money that it was asked for by; null when it was asked for by gold
 */
public record Quote(
    String id,
    String status,
    Side side,
    BigDecimal goldGrams,
    BigDecimal pricePerGramSar,
    BigDecimal feeSar,
    BigDecimal vatSar,
    BigDecimal totalSar,
    Instant expiresAt,
    String orderId,
    BigDecimal requestedAmountSar) {
  static Quote read(Members of) {
    return new Quote(
        of.text("id"),
        of.text("status"),
        Side.of(of.text("side")),
        of.number("gold_grams"),
        of.number("price_per_gram_sar"),
        of.number("fee_sar"),
        of.number("vat_sar"),
        of.number("total_sar"),
        Instant.parse(of.text("expires_at")),
        of.textOrNull("order_id"),
        of.has("requested") ? of.inner("requested").number("amount_sar") : null);
  }
}
