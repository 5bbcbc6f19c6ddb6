package sabika.client;

import java.math.BigDecimal;

/** A payment to the settlement IBAN. */
public record Withdrawal(String id, String status, BigDecimal amountSar, String clientReference) {
  static Withdrawal read(Members of) {
    return new Withdrawal(
        of.text("id"),
        of.text("status"),
        of.number("amount_sar"),
        of.textOrNull("client_reference"));
  }
}
