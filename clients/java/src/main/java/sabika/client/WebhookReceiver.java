package sabika.client;

import java.time.Clock;
import java.util.List;
import java.util.function.Function;

/**
 * Verifies deliveries, hands each event to the handler once, and returns the status to answer with.
 * Safe for use by several threads; events are handled one at a time.
 */
public final class WebhookReceiver {
  /** Handles an event; if it throws, the event is delivered again later. */
  @FunctionalInterface
  public interface Handler {
    void handle(Event event) throws Exception;
  }

  private final List<String> secrets;
  private final Handler handler;
  private final SeenEvents seen;
  private final Clock clock;

  /** Creates a receiver that remembers events in memory and uses the system clock. */
  public WebhookReceiver(List<String> secrets, Handler handler) {
    this(secrets, handler, SeenEvents.inMemory(), Clock.systemUTC());
  }

  /** @param secrets the secrets that may have signed; two during a rotation */
  public WebhookReceiver(List<String> secrets, Handler handler, SeenEvents seen, Clock clock) {
    this.secrets = List.copyOf(secrets);
    this.handler = handler;
    this.seen = seen;
    this.clock = clock;
  }

  /**
   * Verifies a delivery and handles its event.
   *
   * @param header returns a header by its lower-case name, or null
   * @param body the raw body, before any parsing
   * @return the status to answer: 204 handled (now or before), 400 not an event, or not the one that its
   *     header names, 401 not genuine, 500 if the handler or {@code seen} threw
   * @throws IllegalArgumentException if a secret is not {@code whsec_<base64>}
   */
  public int receive(Function<String, String> header, byte[] body) {
    Delivery delivery = Delivery.read(secrets, header, body, clock.instant());
    return delivery.event() == null ? delivery.refusal() : handleOnce(delivery.event());
  }

  private synchronized int handleOnce(Event event) {
    try {
      if (!seen.has(event.id())) {
        handler.handle(event);
        seen.add(event.id());
      }
      return 204;
    } catch (Exception failed) {
      if (failed instanceof InterruptedException) Thread.currentThread().interrupt();
      return 500;
    }
  }
}
