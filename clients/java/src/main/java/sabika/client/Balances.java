package sabika.client;

import java.math.BigDecimal;

/** A partner's money and gold. */
public record Balances(BigDecimal sar, BigDecimal goldGrams) {
  static Balances read(Members members) {
    return new Balances(members.number("sar"), members.number("gold_grams"));
  }
}
