package sabika.client;

import java.util.Map;

/**
 * A delivered event. Ignore unknown types: new ones may be added.
 *
 * @param object the order, funding or withdrawal as JSON, with numbers as {@code BigDecimal}; null in a ping
 * @param delivery how far its delivery is; null in a webhook
 */
public record Event(
    String id, String type, String environment, long sequence, String timestamp, Map<?, ?> object,
    EventDelivery delivery) {
  /** Makes the event of a webhook. */
  public Event(
      String id, String type, String environment, long sequence, String timestamp, Map<?, ?> object) {
    this(id, type, environment, sequence, timestamp, object, null);
  }

  /**
   * Reads the object as the resource that its type names, such as an {@link Order}; null for a ping and for
   * unknown types.
   *
   * @throws IllegalArgumentException if it is something else
   */
  public Object resource() {
    return object == null ? null : EventObjects.read(type, object);
  }

  /**
   * Reads the body of a delivery.
   *
   * @throws IllegalArgumentException if it is not an event
   */
  static Event read(String body) {
    try {
      return read(Members.of(Json.read(body)));
    } catch (Json.SyntaxException | ArithmeticException wrong) {
      throw new IllegalArgumentException("the body is not an event", wrong);
    }
  }

  static Event read(Members members) {
    Object object = members.inner("data").json().get("object");
    return new Event(
        members.text("id"),
        members.text("type"),
        members.text("environment"),
        members.whole("sequence"),
        members.text("timestamp"),
        // The object of a ping is empty.
        object == null || Members.of(object).json().isEmpty() ? null : Members.of(object).json(),
        members.innerOrNull("delivery", EventDelivery::read));
  }
}
