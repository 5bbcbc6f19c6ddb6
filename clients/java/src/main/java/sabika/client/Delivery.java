package sabika.client;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.time.Instant;
import java.util.List;
import java.util.function.Function;

/**
 * A webhook as it was received.
 *
 * @param event null if it is not genuine or no event
 * @param refusal the status to answer then: 401 or 400
 */
record Delivery(Event event, int refusal) {
  /**
   * Verifies and reads a delivery.
   *
   * @throws IllegalArgumentException if a secret is not {@code whsec_<base64>}
   */
  static Delivery read(
      List<String> secrets, Function<String, String> header, byte[] body, Instant now) {
    try {
      Webhooks.verify(secrets, header, body, now);
    } catch (WebhookRefusedException notGenuine) {
      return new Delivery(null, 401);
    }
    try {
      Event event = Event.read(new String(body, UTF_8));
      // The signature covers the id in the header, which must be that of the event in the body.
      if (event.id().equals(header.apply("webhook-id"))) return new Delivery(event, 0);
    } catch (IllegalArgumentException unreadable) {
      // As below.
    }
    return new Delivery(null, 400);
  }
}
