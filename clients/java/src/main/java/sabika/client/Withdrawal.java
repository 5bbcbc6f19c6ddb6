package sabika.client;

import java.math.BigDecimal;

/** A payment to the settlement IBAN. */
public record Withdrawal(String id, String status, BigDecimal amountSar, String clientReference) {
  static Withdrawal read(Members members) {
    return new Withdrawal(
        members.text("id"),
        members.text("status"),
        members.number("amount_sar"),
        members.textOrNull("client_reference"));
  }
}
