package sabika.client;

import java.math.BigDecimal;

/** Money received into the partner's account. */
public record Funding(String id, String status, BigDecimal amountSar, BigDecimal balanceSar) {
  static Funding read(Members members) {
    return new Funding(
        members.text("id"),
        members.text("status"),
        members.number("amount_sar"),
        members.number("balance_sar"));
  }
}
