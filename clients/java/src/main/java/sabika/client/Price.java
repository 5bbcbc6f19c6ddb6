package sabika.client;

import java.math.BigDecimal;
import java.time.Instant;

/** The indicative price of a gram of 24K gold in SAR. */
public record Price(BigDecimal buySar, BigDecimal sellSar, BigDecimal midSar, Instant asOf) {
  static Price read(Members of) {
    return new Price(
        of.number("buy_price_sar"),
        of.number("sell_price_sar"),
        of.number("mid_price_sar"),
        Instant.parse(of.text("as_of")));
  }
}
