package sabika.client;

import java.math.BigDecimal;
import java.time.Instant;

/** The indicative price of a gram of 24K gold in SAR. */
public record Price(BigDecimal buySar, BigDecimal sellSar, BigDecimal midSar, Instant asOf) {
  static Price read(Members members) {
    return new Price(
        members.number("buy_price_sar"),
        members.number("sell_price_sar"),
        members.number("mid_price_sar"),
        Instant.parse(members.text("as_of")));
  }
}
