package sabika.client;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.math.BigDecimal;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class WebhookReceiverTest {
  private static final String SECRET = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";
  private static final String OTHER = "whsec_BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcH";
  private static final long NOW = 1795167000;
  private static final String EVENT = "{\"id\":\"evt_1\",\"type\":\"order.executed\","
      + "\"api_version\":\"v1\",\"environment\":\"sandbox\",\"sequence\":2,"
      + "\"timestamp\":\"2026-11-20T09:30:00.000Z\","
      + "\"data\":{\"object\":{\"id\":\"ord_1\",\"total_sar\":1039.11}}}";

  private final List<Event> handled = new ArrayList<>();

  private static WebhookReceiver receiver(WebhookReceiver.Handler handler) {
    Clock clock = Clock.fixed(Instant.ofEpochSecond(NOW), ZoneOffset.UTC);
    return new WebhookReceiver(List.of(SECRET), handler, SeenEvents.inMemory(), clock);
  }

  /** Delivers a body that is signed with a secret; returns the status. */
  private static int deliver(
      WebhookReceiver receiver, String id, String secret, String body, String sent) {
    String timestamp = String.valueOf(NOW);
    Map<String, String> headers = Map.of(
        "webhook-id", id,
        "webhook-timestamp", timestamp,
        "webhook-signature", Webhooks.sign(secret, id, timestamp, body.getBytes(UTF_8)));
    return receiver.receive(headers::get, sent.getBytes(UTF_8));
  }

  @Test
  void anEventIsHandledOnceHoweverOftenItComes() {
    WebhookReceiver receiver = receiver(handled::add);
    for (int i = 0; i < 3; i++) {
      assertEquals(204, deliver(receiver, "evt_1", SECRET, EVENT, EVENT));
    }
    assertEquals(1, handled.size());
    assertEquals(new BigDecimal("1039.11"), handled.get(0).object().get("total_sar"));
  }

  @Test
  void anEventWhoseHandlerFailsIsHandledWhenItComesAgain() {
    WebhookReceiver receiver = receiver(event -> {
      handled.add(event);
      if (handled.size() == 1) throw new IllegalStateException("the database is away");
    });
    for (int status : List.of(500, 204, 204)) {
      assertEquals(status, deliver(receiver, "evt_1", SECRET, EVENT, EVENT));
    }
    assertEquals(2, handled.size());
  }

  @Test
  void aDeliveryThatIsNotGenuineOrReadableIsNotHandled() {
    WebhookReceiver receiver = receiver(handled::add);
    assertEquals(401, deliver(receiver, "evt_1", OTHER, EVENT, EVENT));
    assertEquals(401, deliver(receiver, "evt_1", SECRET, EVENT, EVENT + " "));
    assertEquals(401, receiver.receive(name -> null, EVENT.getBytes(UTF_8)));
    assertEquals(400, deliver(receiver, "evt_2", SECRET, EVENT, EVENT));
    assertEquals(400, deliver(receiver, "evt_1", SECRET, "[]", "[]"));
    assertEquals(400, deliver(receiver, "evt_1", SECRET, "{\"id\":\"evt_1\"}", "{\"id\":\"evt_1\"}"));
    assertEquals(List.of(), handled);
  }

  @Test
  void theMemoryOfEventsDoesNotGrowForEver() throws Exception {
    SeenEvents seen = SeenEvents.inMemory();
    for (int number = 0; number <= 10_000; number++) seen.add(String.valueOf(number));
    assertEquals(false, seen.has("0"));
    assertEquals(true, seen.has("1"));
  }
}
