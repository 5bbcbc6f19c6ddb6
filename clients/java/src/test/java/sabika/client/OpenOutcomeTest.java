package sabika.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.net.http.HttpRequest;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What an order says of itself when an attempt may have been carried out. */
class OpenOutcomeTest {
  private static final Transport TOKEN =
      answering(200, "{\"access_token\":\"secret\",\"expires_in\":600}");
  private static final Transport BROKEN = request -> {
    throw new IOException("the connection broke");
  };

  private final AtomicReference<Instant> now =
      new AtomicReference<>(Instant.parse("2026-11-20T09:00:00Z"));
  private final InstantSource clock = now::get;
  private final List<HttpRequest> tokens = new ArrayList<>();
  private final List<HttpRequest> orders = new ArrayList<>();
  private Kit kit;

  @BeforeEach
  void openKit() throws IOException {
    kit = SandboxKit.open();
  }

  private static Transport answering(int status, String text) {
    return request -> new SandboxTest.Interposed(request, status, Map.of(), text);
  }

  private static Transport then(Transport first, Transport later, List<HttpRequest> requests) {
    return request -> {
      requests.add(request);
      return (requests.size() == 1 ? first : later).send(request);
    };
  }

  /** Orders, and returns what is thrown. */
  private SabikaException order(Transport token, Transport order) {
    Client client = Client.builder(kit)
        .clock(clock.withZone(ZoneOffset.UTC))
        .sleeper(pause -> {})
        .transport(request ->
            (request.uri().getPath().equals("/oauth/token") ? token : order).send(request))
        .build();
    return assertThrows(SabikaException.class, () -> client.order("qt_1", null, null));
  }

  private void assertOpen(SabikaException failure, String cause) {
    assertEquals("outcome_unknown", failure.code());
    assertEquals(cause, ((SabikaException) failure.getCause()).code());
    String key = orders.get(0).headers().firstValue("Idempotency-Key").orElseThrow();
    assertEquals(key, failure.idempotencyKey());
  }

  @Test
  void anOrderWhoseRepeatGetsNoTokenHasAnOpenOutcome() {
    Map<String, Transport> refusals = Map.of(
        "temporarily_unavailable", answering(503, "{\"error\":\"temporarily_unavailable\"}"),
        "unauthorized_client", answering(400, "{\"error\":\"unauthorized_client\"}"),
        "unexpected_answer", answering(502, "<html>Bad gateway</html>"),
        "connection_failed", BROKEN);
    Transport late = request -> {
      now.updateAndGet(time -> time.plus(Duration.ofMinutes(10)));
      return BROKEN.send(request);
    };
    Transport refused = answering(401, "{\"code\":\"token_expired\"}");
    refusals.forEach((code, refusal) -> {
      for (Transport lost : List.of(late, BROKEN)) {
        tokens.clear();
        orders.clear();
        assertOpen(order(then(TOKEN, refusal, tokens), then(lost, refused, orders)), code);
        assertEquals(lost == late ? 1 : 2, orders.size());
      }
    });
  }

  @Test
  void anOrderThatGetsNoTokenAtAllWasRefused() {
    Transport refusal = answering(400, "{\"error\":\"unauthorized_client\"}");
    assertEquals("unauthorized_client", order(refusal, BROKEN).code());
  }

  @Test
  void anOrderWhoseRepeatIsToldNoTimeHasAnOpenOutcome() {
    Transport wrong = answering(
        401, "{\"code\":\"timestamp_out_of_window\",\"meta\":{\"server_time\":\"noon\"}}");
    assertOpen(order(TOKEN, then(BROKEN, wrong, orders)), "timestamp_out_of_window");
  }
}
