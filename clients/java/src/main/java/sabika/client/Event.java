package sabika.client;

import java.util.Map;

/**
 * A delivered event. Ignore unknown types: new ones may be added.
 *
 * @param object the order, funding or withdrawal as JSON, with numbers as {@code BigDecimal}; null in a ping
 */
public record Event(
    String id, String type, String environment, long sequence, String timestamp, Map<?, ?> object) {
  /**
   * Reads the body of a delivery.
   *
   * @throws IllegalArgumentException if it is not an event
   */
  static Event read(String body) {
    try {
      Members members = Members.of(Json.read(body));
      Object object = members.inner("data").json().get("object");
      return new Event(
          members.text("id"),
          members.text("type"),
          members.text("environment"),
          members.number("sequence").longValueExact(),
          members.text("timestamp"),
          object == null ? null : Members.of(object).json());
    } catch (Json.SyntaxException | ArithmeticException wrong) {
      throw new IllegalArgumentException("the body is not an event", wrong);
    }
  }
}
