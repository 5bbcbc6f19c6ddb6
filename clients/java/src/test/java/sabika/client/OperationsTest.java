package sabika.client;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.math.BigDecimal;
import java.net.http.HttpClient;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Every operation of the API, called against a running sandbox. */
class OperationsTest {
  private Kit kit;

  @BeforeEach
  void openKit() throws IOException {
    kit = SandboxKit.open();
  }

  /** The real connection, which records requests. */
  static class Recording implements Transport {
    final List<HttpRequest> requests = Collections.synchronizedList(new ArrayList<>());
    private final Transport real;

    Recording(Kit kit) {
      real = SandboxKit.connection(kit);
    }

    @Override
    public HttpResponse<byte[]> send(HttpRequest request) throws IOException, InterruptedException {
      requests.add(request);
      return real.send(request);
    }

    @Override
    public HttpResponse<InputStream> open(HttpRequest request) throws IOException, InterruptedException {
      requests.add(request);
      return real.open(request);
    }
  }

  /** Returns the operations for which there was no request. */
  private static List<String> notCalled(List<HttpRequest> requests) throws Exception {
    return Vectors.read("operations.json").list("operations").stream()
        .filter(operation -> requests.stream().noneMatch(request ->
            request.method().equals(operation.text("method"))
                && request.uri().getPath().matches(operation.text("path"))))
        .map(operation -> operation.text("id")).toList();
  }

  private static BigDecimal amount(String text) {
    return new BigDecimal(text);
  }

  @Test
  void everyOperationIsCalled() throws Exception {
    String reserveDay = System.getenv("SABIKA_RESERVE_DAY");
    Assumptions.assumeTrue(reserveDay != null, "SABIKA_RESERVE_DAY names no day that has a reserve");
    Recording transport = new Recording(kit);
    Client client = Client.builder(kit).transport(transport).build();
    client.fund(amount("1000"), null);
    Scenario scenario = client.scenario(new FundingScenario(amount("100.50"), "later", 0L), null);
    assertEquals("funding", scenario.kind());
    Quote quote = client.quote(Side.BUY, amount("1"), null);
    Order order = client.order(quote.id(), null, null);
    Withdrawal withdrawal = client.withdraw(amount("1"), null, null);
    client.cancelWithdrawal(withdrawal.id(), null);
    // The JDK makes no signing requests.
    assertThrows(Refused.InvalidCsr.class, () -> client.requestCertificate("none", 86_400L, null));
    assertThrows(Refused.InvalidCsr.class, () -> client.requestSigningKey("none", null, null));
    String unknown = "cr_01a1f85e-29a6-7440-a1da-ccc3cd98406e";
    assertThrows(Refused.NotFound.class, () -> client.getRequestedCredential(unknown));
    client.listRequestedCredentials(ListFilter.ALL.withStatus("issued")).page();
    Event event;
    try (EventStream stream = client.streamEvents(0)) {
      event = stream.next();
    }
    assertEquals(1, event.sequence());
    assertNull(event.delivery());

    client.health();
    client.prices();
    Instant since = Instant.now().minusSeconds(3600);
    client.priceHistory(since, null, "1m");
    client.balances();
    client.vault();
    client.vaultVersion(1);
    client.receipt(order.id());
    client.receiptKeys();
    client.attestationKeys();
    client.reserve(reserveDay);
    client.reserveOpening(reserveDay);
    assertEquals(order.id(), client.getQuote(quote.id()).orderId());
    assertEquals(order.totalSar(), client.getOrder(order.id()).totalSar());
    assertEquals(1, client.getOrderEvidence(order.id()).requests().size());
    assertEquals("cancelled", client.getWithdrawal(withdrawal.id()).status());
    assertEquals(2, client.getWithdrawalEvidence(withdrawal.id()).requests().size());
    client.listQuotes(ListFilter.ALL.withStatus("executed")).page();
    client.listOrders(ListFilter.ALL.withCreatedFrom(since)).page();
    client.listWithdrawals(ListFilter.ALL.withLimit(1)).page();
    client.listLedgerEntries(EntryFilter.ALL).page();
    assertNotNull(client.getEvent(event.id()).delivery());
    client.events(EventFilter.ALL).page();
    client.deliveryAttempts(event.id(), PageFilter.ALL).page();
    String today = LocalDate.now(ZoneId.of("Asia/Riyadh")).toString();
    assertTrue(client.statement(today).entries().get(0).amount().signum() > 0);
    assertTrue(client.statementCsv(today).startsWith("number,"));
    assertEquals(kit.clientId(), client.me().clientId());
    assertEquals(60, client.limits().quote().validForSeconds());
    client.redeliver(event.id(), null);
    assertEquals(1, client.redeliverRange(1, 1, null).count());
    client.enableWebhook(null);
    client.probe("{}");
    assertEquals(List.of(), notCalled(transport.requests));
  }

  @Test
  void aListGoesThroughAllItsPages() {
    Client client = Client.of(kit);
    for (int n = 0; n < 3; n++) client.quote(Side.BUY, amount("1"), null);
    Pages<Quote> list = client.listQuotes(ListFilter.ALL.withLimit(2));
    Page<Quote> first = list.page();
    assertEquals(2, first.data().size());
    List<Quote> all = list.stream().toList();
    assertEquals(first.data(), all.subList(0, 2));
    Page<Quote> second = list.page(first.nextCursor());
    assertEquals(second.data(), all.subList(2, 2 + second.data().size()));
    Pages<Quote> rest =
        client.listQuotes(ListFilter.ALL.withLimit(2).withCursor(first.nextCursor()));
    assertEquals(all.subList(2, all.size()), rest.stream().toList());
    assertEquals(all.size(), all.stream().map(Quote::id).distinct().count());
  }

  @Test
  void aStreamThatBreaksGoesOnBehindTheLastEvent() {
    List<Duration> pauses = new ArrayList<>();
    Recording breaking = new Recording(kit) {
      @Override
      public HttpResponse<InputStream> open(HttpRequest request) throws IOException, InterruptedException {
        return new Broken(super.open(request));
      }
    };
    Client client = Client.builder(kit).transport(breaking).sleeper(pauses::add).build();
    client.fund(amount("1"), null);
    client.fund(amount("2"), null);
    long last = client.events(EventFilter.ALL.withLimit(1)).page().data().get(0).sequence();
    try (EventStream stream = client.streamEvents(last - 2)) {
      assertEquals(last - 1, stream.next().sequence());
      assertEquals(last, stream.next().sequence());
    }
    assertEquals(1, pauses.size());
  }

  /** An answer whose body breaks behind its first event. */
  private record Broken(HttpResponse<InputStream> real) implements HttpResponse<InputStream> {
    @Override
    public InputStream body() {
      ByteArrayOutputStream first = new ByteArrayOutputStream();
      try {
        while (!first.toString(UTF_8).contains("data:") || !first.toString(UTF_8).endsWith("\n\n")) {
          int next = real.body().read();
          if (next < 0) break;
          first.write(next);
        }
      } catch (IOException broken) {
        throw new IllegalStateException(broken);
      }
      return new SequenceInputStream(new ByteArrayInputStream(first.toByteArray()), new InputStream() {
        @Override
        public int read() throws IOException {
          throw new IOException("the connection broke");
        }
      });
    }

    @Override
    public int statusCode() {
      return real.statusCode();
    }

    @Override
    public HttpHeaders headers() {
      return real.headers();
    }

    @Override
    public HttpRequest request() {
      return real.request();
    }

    @Override
    public java.util.Optional<HttpResponse<InputStream>> previousResponse() {
      return java.util.Optional.empty();
    }

    @Override
    public java.util.Optional<javax.net.ssl.SSLSession> sslSession() {
      return real.sslSession();
    }

    @Override
    public java.net.URI uri() {
      return real.uri();
    }

    @Override
    public HttpClient.Version version() {
      return real.version();
    }
  }

  @Test
  void anEventHasItsObjectAsAResource() {
    Client client = Client.of(kit);
    client.fund(amount("1000"), null);
    Order order = client.order(client.quote(Side.BUY, amount("1"), null).id(), null, null);
    Event executed = client.events(EventFilter.ALL).stream()
        .filter(event -> event.type().equals("order.executed")).findFirst().orElseThrow();
    assertEquals(client.getOrder(order.id()), executed.resource());
    assertNull(new Event("evt_1", "new.type", "sandbox", 1, "", Map.of()).resource());
  }

  @Test
  void aRefusalIsOfTheClassOfItsCodeAlsoInAFuture() {
    Client client = Client.of(kit);
    assertThrows(
        Refused.InsufficientFunds.class, () -> client.withdraw(amount("9999999999"), null, null));
    ExecutorService executor = Executors.newFixedThreadPool(2);
    try {
      AsyncClient later = new AsyncClient(client, executor);
      assertEquals("ok", later.health().thenCombine(later.prices(), (health, prices) -> health.status()).join());
      assertEquals(1, later.listQuotes(ListFilter.ALL.withLimit(1)).join().data().size());
      var refused = assertThrows(
          CompletionException.class, () -> later.order("qt_unknown", null, null).join());
      assertEquals(Refused.QuoteNotFound.class, refused.getCause().getClass());
    } finally {
      executor.shutdown();
    }
  }
}
