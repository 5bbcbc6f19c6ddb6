package sabika.client;

import java.math.BigDecimal;
import java.time.Instant;

/**
 * A quote, firm for 60 seconds: an order that arrives before {@code expiresAt} is executed at exactly
 * {@code totalSar}.
 *
 * @param goldVatSar the VAT on the gold, in {@code vatSar}; null if not known, as feeVatSar and priceSource
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
    BigDecimal goldVatSar,
    BigDecimal feeVatSar,
    String priceSource,
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
        members.numberOrNull("gold_vat_sar"),
        members.numberOrNull("fee_vat_sar"),
        members.textOrNull("price_source"),
        members.number("total_sar"),
        Instant.parse(members.text("expires_at")),
        members.textOrNull("order_id"),
        members.has("requested") ? members.inner("requested").number("amount_sar") : null);
  }
}
