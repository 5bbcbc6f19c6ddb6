package sabika.client;

import java.math.BigDecimal;
import java.time.Instant;

/**
 * A quote, firm for 60 seconds: an order that arrives before {@code expiresAt} is executed at exactly
 * {@code totalSar}.
 *
 * @param requestedAmountSar the amount for which the quote was requested; null if requested by gold
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
  static Quote read(Members members) {
    return new Quote(
        members.text("id"),
        members.text("status"),
        Side.of(members.text("side")),
        members.number("gold_grams"),
        members.number("price_per_gram_sar"),
        members.number("fee_sar"),
        members.number("vat_sar"),
        members.number("total_sar"),
        Instant.parse(members.text("expires_at")),
        members.textOrNull("order_id"),
        members.has("requested") ? members.inner("requested").number("amount_sar") : null);
  }
}
