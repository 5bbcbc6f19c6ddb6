package sabika.client;

import java.math.BigDecimal;

/** A partner's money and gold. */
public record Balances(BigDecimal sar, BigDecimal goldGrams) {
  static Balances read(Members of) {
    return new Balances(of.number("sar"), of.number("gold_grams"));
  }
}
