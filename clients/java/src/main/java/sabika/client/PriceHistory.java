package sabika.client;

import java.math.BigDecimal;
import java.time.Instant;
import java.util.List;

/** The course of the mid price, oldest first, without spans in which there was no price. */
public record PriceHistory(String interval, Instant from, Instant to, List<Span> spans) {
  /**
   * The mid prices of a span.
   *
   * @param openSar the first price; null if it is not known
   * @param count how many prices were accepted; 0 if it is not known
   */
  public record Span(
      Instant start,
      BigDecimal openSar,
      BigDecimal highSar,
      BigDecimal lowSar,
      BigDecimal closeSar,
      int count) {
    static Span read(Members members) {
      return new Span(
          Instant.parse(members.text("start")),
          members.numberOrNull("open_sar"),
          members.number("high_sar"),
          members.number("low_sar"),
          members.number("close_sar"),
          members.number("count").intValueExact());
    }
  }

  static PriceHistory read(Members members) {
    return new PriceHistory(
        members.text("interval"),
        Instant.parse(members.text("from")),
        Instant.parse(members.text("to")),
        members.list("spans").stream().map(Span::read).toList());
  }
}
