package sabika.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import java.io.IOException;
import java.math.BigDecimal;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import javax.net.ssl.SSLSession;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The client against a running sandbox, over a connection that tests can disturb. */
class SandboxTest {
  private Kit kit;

  @BeforeEach
  void openKit() throws IOException {
    kit = SandboxKit.open();
  }

  private Client client() {
    return Client.builder(kit).sleeper(pause -> fail("it waited")).build();
  }

  private Transport realConnection() {
    return SandboxKit.connection(kit);
  }

  private static BigDecimal amount(String text) {
    return new BigDecimal(text);
  }

  /** An answer that a test makes instead of the service. */
  record Interposed(
      HttpRequest request, int statusCode, Map<String, List<String>> header, String text)
      implements HttpResponse<byte[]> {
    Interposed(HttpRequest request, int statusCode, Map<String, List<String>> header) {
      this(request, statusCode, header, "<html>busy</html>");
    }

    @Override
    public HttpHeaders headers() {
      return HttpHeaders.of(header, (name, value) -> true);
    }

    @Override
    public byte[] body() {
      return text.getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public Optional<HttpResponse<byte[]>> previousResponse() {
      return Optional.empty();
    }

    @Override
    public Optional<SSLSession> sslSession() {
      return Optional.empty();
    }

    @Override
    public URI uri() {
      return request.uri();
    }

    @Override
    public HttpClient.Version version() {
      return HttpClient.Version.HTTP_1_1;
    }
  }

  @Test
  void anOrderWhoseAnswerIsLostIsRepeatedAndExecutedOnce() throws Exception {
    Transport real = realConnection();
    List<HttpRequest> orders = new ArrayList<>();
    List<HttpResponse<byte[]>> lost = new ArrayList<>();
    List<Duration> pauses = new ArrayList<>();
    Client client = Client.builder(kit).sleeper(pauses::add).transport(request -> {
      HttpResponse<byte[]> answer = real.send(request);
      boolean isOrder = request.uri().getPath().equals("/v1/orders") && request.method().equals("POST");
      if (isOrder) orders.add(request);
      if (!isOrder || !lost.isEmpty()) return answer;
      lost.add(answer);
      throw new IOException("the connection broke");
    }).build();
    client.fund(amount("5000"), null);
    Balances before = client.balances();
    Quote quote = client.quote(Side.BUY, amount("1.5"), null);
    String trade = UUID.randomUUID().toString();
    Order order = client.order(quote.id(), trade, trade);
    Balances after = client.balances();
    assertEquals(1, pauses.size());
    assertEquals(201, lost.get(0).statusCode());
    String first = new String(lost.get(0).body(), StandardCharsets.UTF_8);
    assertEquals(Members.of(Json.read(first)).text("id"), order.id());
    assertEquals(quote.totalSar(), order.totalSar());
    assertEquals(0, before.sar().subtract(after.sar()).compareTo(quote.totalSar()));
    assertEquals(0, after.goldGrams().subtract(before.goldGrams()).compareTo(amount("1.5")));
    assertEquals(order.id(), client.findOrder(trade).orElseThrow().id());
    assertEquals(2, orders.size());
    HttpHeaders lostHeaders = orders.get(0).headers();
    HttpHeaders repeated = orders.get(1).headers();
    assertEquals(trade, lostHeaders.firstValue("Idempotency-Key").orElseThrow());
    assertEquals(trade, repeated.firstValue("Idempotency-Key").orElseThrow());
    for (String name : List.of("X-Nonce", "X-JWS-Signature")) {
      assertNotEquals(lostHeaders.firstValue(name), repeated.firstValue(name), name);
    }
  }

  @Test
  void aCallIsRepeatedAfterThePauseThatTheServiceRequested() {
    Transport real = realConnection();
    Deque<Map.Entry<Integer, Map<String, List<String>>>> answers = new ArrayDeque<>(List.of(
        Map.entry(503, Map.of("retry-after", List.of("2"))), Map.entry(502, Map.of())));
    List<Duration> pauses = new ArrayList<>();
    Client client = Client.builder(kit).sleeper(pauses::add).transport(request -> {
      if (request.method().equals("POST") || answers.isEmpty()) return real.send(request);
      var answer = answers.removeFirst();
      return new Interposed(request, answer.getKey(), answer.getValue());
    }).build();
    assertTrue(client.prices().midSar().signum() > 0);
    assertEquals(2, pauses.size());
    assertEquals(Duration.ofSeconds(2), pauses.get(0));
    assertTrue(pauses.get(1).toMillis() >= 200 && pauses.get(1).toMillis() <= 400);
  }

  @Test
  void aRefusedRepeatLeavesTheOutcomeUnknown() {
    Transport real = realConnection();
    List<HttpRequest> attempts = new ArrayList<>();
    Client client = Client.builder(kit).sleeper(pause -> {}).transport(request -> {
      if (!request.uri().getPath().equals("/sandbox/fund")) return real.send(request);
      attempts.add(request);
      if (attempts.size() == 1) throw new IOException("the connection broke");
      return real.send(HttpRequest.newBuilder(request, (name, value) -> true)
          .header("Sabika-Simulate", "service_unavailable").build());
    }).build();
    var refused = assertThrows(SabikaException.class, () -> client.fund(amount("1"), null));
    assertEquals(6, attempts.size());
    assertEquals("outcome_unknown", refused.code());
    assertEquals(503, refused.status());
    assertTrue(refused.retryable() && refused.idempotencyKey() != null);
  }

  @Test
  void aRepeatThatIsRefusedForLackOfMoneyLeavesTheOutcomeUnknown() {
    Transport real = realConnection();
    List<HttpRequest> attempts = new ArrayList<>();
    Client client = Client.builder(kit).sleeper(pause -> {}).transport(request -> {
      if (request.uri().getPath().equals("/v1/withdrawals")) {
        attempts.add(request);
        if (attempts.size() == 1) throw new IOException("the connection broke");
      }
      return real.send(request);
    }).build();
    var refused =
        assertThrows(SabikaException.class, () -> client.withdraw(amount("9999999999"), null, null));
    assertEquals("outcome_unknown", refused.code());
    assertEquals("insufficient_funds", ((SabikaException) refused.getCause()).code());
  }

  @Test
  void aCallFailsIfTheRequestedPauseIsTooLong() {
    Transport real = realConnection();
    Client client = Client.builder(kit).sleeper(pause -> fail("it waited")).transport(request ->
        request.method().equals("POST")
            ? real.send(request)
            : new Interposed(request, 429, Map.of("retry-after", List.of("60")))).build();
    var refused = assertThrows(SabikaException.class, client::prices);
    assertEquals(429, refused.status());
    assertEquals(Duration.ofMinutes(1), refused.retryAfter());
  }

  @Test
  void aKeyThatIsUsedForSomethingElseIsAConflict() {
    Client client = client();
    String key = UUID.randomUUID().toString();
    Quote money = client.quoteForMoney(Side.SELL, amount("500"), null);
    assertEquals(0, money.requestedAmountSar().compareTo(amount("500")));
    assertEquals(true, money.totalSar().compareTo(amount("500")) >= 0);
    Quote first = client.quote(Side.BUY, amount("1"), key);
    assertEquals(null, first.requestedAmountSar());
    assertEquals(first, client.quote(Side.BUY, amount("1.0"), key));
    var refused = assertThrows(
        SabikaException.class, () -> client.quote(Side.BUY, amount("2"), key));
    assertEquals("idempotency_key_conflict", refused.code());
    assertEquals(first.id(), refused.meta().get("resource_id"));
    assertEquals(key, refused.idempotencyKey());
    assertTrue(refused.requestId().startsWith("req_"));
  }

  @Test
  void aRefusalSaysInExactNumbersWhatIsMissing() {
    Client client = client();
    BigDecimal grams = client.balances().goldGrams().add(amount("0.0001")).max(amount("0.01"));
    Quote quote = client.quote(Side.SELL, grams, null);
    var refused = assertThrows(SabikaException.class, () -> client.order(quote.id(), null, null));
    assertEquals("insufficient_gold", refused.code());
    assertEquals(0, grams.compareTo((BigDecimal) refused.meta().get("needed")));
  }

  @Test
  void aRefusedTokenIsReplaced() {
    Client client = client();
    client.sender().useToken("not.a.token");
    assertTrue(client.balances().sar().signum() >= 0);
  }

  @Test
  void aClockThatIsOffIsCorrectedByTheService() {
    Clock clock = Clock.offset(Clock.systemUTC(), Duration.ofHours(1));
    Client client =
        Client.builder(kit).clock(clock).sleeper(pause -> fail("it waited")).build();
    for (String body : List.of("{}", "{\"note\": \"سبيكة\"}")) {
      Probe probe = client.probe(body);
      assertTrue(probe.verified());
      assertEquals(kit.signingKeyId(), probe.keyId());
    }
  }

  @Test
  void aWithdrawalIsSignedAndCarriedOutOnce() {
    Client client = client();
    client.fund(amount("100"), null);
    String key = UUID.randomUUID().toString();
    Withdrawal first = client.withdraw(amount("12.34"), key, key);
    assertEquals(first, client.withdraw(amount("12.34"), key, key));
    assertEquals(amount("12.34"), first.amountSar());
    assertEquals("cancelled", client.cancelWithdrawal(first.id(), null).status());
  }

  @Test
  void anAmountThatIsTooPreciseIsNotEvenSent() {
    Client client = Client.builder(kit).transport(request -> fail("it was sent")).build();
    assertThrows(Amounts.AmountException.class, () -> client.fund(amount("0.001"), null));
  }

  @Test
  void theServiceReportsThatItIsAvailable() {
    assertEquals("sandbox", client().health().environment());
  }
}
