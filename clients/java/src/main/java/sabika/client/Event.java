package sabika.client;

import java.util.Map;

/**
 * An event as it is delivered. Pass over the types that you do not know: new ones may come.
 *
 * @param object the order, funding or withdrawal as JSON, its numbers {@code BigDecimal}; null in a ping
 */
public record Event(
    String id, String type, String environment, long sequence, String timestamp, Map<?, ?> object) {
  /**
   * Reads the body of a delivery.
   *
   * @throws IllegalArgumentException when it is none
   */
  static Event read(String body) {
    try {
      Members of = Members.of(Json.read(body));
      Object object = of.inner("data").json().get("object");
      return new Event(
          of.text("id"),
          of.text("type"),
          of.text("environment"),
          of.number("sequence").longValueExact(),
          of.text("timestamp"),
          object == null ? null : Members.of(object).json());
    } catch (Json.SyntaxException | ArithmeticException wrong) {
      throw new IllegalArgumentException("the body is no event", wrong);
    }
  }
}
