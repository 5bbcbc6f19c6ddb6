package sabika.client;

import java.math.BigDecimal;

/** Money that came in. */
public record Funding(String id, String status, BigDecimal amountSar, BigDecimal balanceSar) {
  static Funding read(Members of) {
    return new Funding(
        of.text("id"), of.text("status"), of.number("amount_sar"), of.number("balance_sar"));
  }
}
