package sabika.client;

import java.math.BigDecimal;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The service's API for a partner. A program needs only one client, which threads may share. Every method
 * throws {@link SabikaException} if the call fails, {@link Amounts.AmountException} for too precise amounts.
 *
 * <p>Writes take an idempotency key: if you store it with your record of the trade, the call can be repeated,
 * also after a crash, without a second effect. With null the call makes a new key.
 *
 * <pre>{@code
 * Client client = Client.of(Kit.open(Path.of(".sabika/partners/demo")));
 * Quote quote = client.quote(Side.BUY, new BigDecimal("1.5"), null);
 * Order order = client.order(quote.id(), tradeId, tradeId);
 * }</pre>
 */
public final class Client {
  private final Sender sender;

  private Client(Builder builder) {
    Transport transport = builder.transport == null ? connect(builder) : builder.transport;
    sender = new Sender(
        builder.kit, transport, builder.timeout, builder.retry, builder.clock, builder.sleeper);
  }

  /** Creates a client with default options. */
  public static Client of(Kit kit) {
    return builder(kit).build();
  }

  public static Builder builder(Kit kit) {
    return new Builder(kit);
  }

  public Health health() {
    return sender.send(new Call("GET", "/health", Call.JSON, null, null, false, false, null), Health::read);
  }

  public Price prices() {
    return sender.send(Call.get("/v1/prices"), Price::read);
  }

  /**
   * The course of the mid price.
   *
   * @param from the beginning; null for 100 spans before the end
   * @param to the end, exclusive; null for now
   * @param interval the length of a span: 1m, 5m, 1h or 1d
   */
  public PriceHistory priceHistory(Instant from, Instant to, String interval) {
    String path = "/v1/prices/history?interval=" + interval;
    if (from != null) path += "&from=" + from;
    if (to != null) path += "&to=" + to;
    return sender.send(Call.get(path), PriceHistory::read);
  }

  public Balances balances() {
    return sender.send(Call.get("/v1/balances"), Balances::read);
  }

  /** Returns the pool of bars that your gold is a share of, as it is now. */
  public Vault vault() {
    return sender.send(Call.get("/v1/vault"), Vault::read);
  }

  /** Returns a version of that pool, to keep: its SHA-256 is the hash that receipts name. */
  public byte[] vaultVersion(long number) {
    return sender.exchange(Call.get("/v1/vault/versions/" + number), HttpResponse::body);
  }

  /** Returns the receipt of an order, to keep and for {@link Receipts#verify}; empty while it is not signed. */
  public Optional<String> receipt(String orderId) {
    Call call = Call.get("/v1/orders/" + encode(orderId) + "/receipt", "application/jose");
    return sender.exchange(call, answer ->
        answer.statusCode() == 202 ? Optional.empty() : Optional.of(Sender.textOf(answer)));
  }

  /** Returns the JSON of all keys that ever signed receipts and reserves, to keep. */
  public String receiptKeys() {
    return text("/.well-known/sabika-receipt-keys.json");
  }

  /** Returns the JSON of all keys of inspectors and auditors, to keep. */
  public String attestationKeys() {
    return text("/.well-known/sabika-attestation-keys.json");
  }

  /** Returns the reserve of a day in Riyadh, such as 2026-11-20, to keep and for {@link Reserves#verify}. */
  public PublishedReserve reserve(String day) {
    Call call = Call.get("/v1/reserves/" + encode(day));
    return sender.exchange(call, answer -> PublishedReserve.read(Sender.textOf(answer)));
  }

  /** Returns the JSON of what your commitment in that reserve hides, to keep. */
  public String reserveOpening(String day) {
    return text("/v1/reserves/" + encode(day) + "/mine");
  }

  private String text(String path) {
    return sender.exchange(Call.get(path), Sender::textOf);
  }

  private static String encode(String segment) {
    return URLEncoder.encode(segment, StandardCharsets.UTF_8);
  }

  /** Sandbox only: credits the account at once. */
  public Funding fund(BigDecimal amountSar, String idempotencyKey) {
    String body = Json.write(Map.of("amount_sar", sar(amountSar)));
    return sender.send(Call.write("/sandbox/fund", body, false, idempotencyKey), Funding::read);
  }

  /** Requests a price for gold that is firm for 60 seconds. */
  public Quote quote(Side side, BigDecimal goldGrams, String idempotencyKey) {
    return quote(side, "gold_grams", Amounts.checked(goldGrams, Amounts.GRAM_DECIMALS), idempotencyKey);
  }

  /** Requests a quote for the most gold that the amount buys, or the least gold whose sale brings it. */
  public Quote quoteForMoney(Side side, BigDecimal amountSar, String idempotencyKey) {
    return quote(side, "amount_sar", sar(amountSar), idempotencyKey);
  }

  private Quote quote(Side side, String unit, BigDecimal size, String idempotencyKey) {
    Map<String, Object> request = new LinkedHashMap<>();
    request.put("side", side.wire());
    request.put(unit, size);
    Call call = Call.write("/v1/quotes", Json.write(request), false, idempotencyKey);
    return sender.send(call, Quote::read);
  }

  /**
   * Executes a quote.
   *
   * @param clientReference your reference, returned in the order; null for none
   */
  public Order order(String quoteId, String clientReference, String idempotencyKey) {
    Map<String, Object> request = new LinkedHashMap<>();
    request.put("quote_id", quoteId);
    request.put("client_reference", clientReference);
    Call call = Call.write("/v1/orders", Json.write(request), true, idempotencyKey);
    return sender.send(call, Order::read);
  }

  /**
   * Pays to the settlement IBAN that the operator has registered.
   *
   * @param clientReference your reference, returned in the withdrawal; null for none
   */
  public Withdrawal withdraw(BigDecimal amountSar, String clientReference, String idempotencyKey) {
    Map<String, Object> request = new LinkedHashMap<>();
    request.put("amount_sar", sar(amountSar));
    request.put("client_reference", clientReference);
    Call call = Call.write("/v1/withdrawals", Json.write(request), true, idempotencyKey);
    return sender.send(call, Withdrawal::read);
  }

  /** Cancels a withdrawal; refused once it is being paid. */
  public Withdrawal cancelWithdrawal(String withdrawalId, String idempotencyKey) {
    String path = "/v1/withdrawals/" + encode(withdrawalId);
    return sender.send(Call.write(path + "/cancel", "{}", true, idempotencyKey), Withdrawal::read);
  }

  /** Tests a signed request; the body of a refusal's exception has a {@code diagnosis}. */
  public Probe probe(String body) {
    return sender.send(Call.write("/v1/signed-probe", body, true, null), Probe::read);
  }

  /** Returns the order that a key has made, if any; for use when an outcome is unknown. */
  public Optional<Order> findOrder(String idempotencyKey) {
    String key = encode(idempotencyKey);
    List<Order> orders = sender.send(
        Call.get("/v1/orders?idempotency_key=" + key),
        page -> page.list("data").stream().map(Order::read).toList());
    return orders.stream().findFirst();
  }

  Sender sender() {
    return sender;
  }

  private static BigDecimal sar(BigDecimal amount) {
    return Amounts.checked(amount, Amounts.SAR_DECIMALS);
  }

  private static Transport connect(Builder builder) {
    HttpClient http = httpClient(builder.kit, builder.timeout);
    return request -> http.send(request, HttpResponse.BodyHandlers.ofByteArray());
  }

  /** Makes the HTTP client with the kit's certificate. It does not repeat a POST by itself. */
  static HttpClient httpClient(Kit kit, Duration timeout) {
    return HttpClient.newBuilder()
        .sslContext(kit.sslContext())
        .version(HttpClient.Version.HTTP_1_1)
        .connectTimeout(timeout)
        .followRedirects(HttpClient.Redirect.NEVER)
        .build();
  }

  /** The options of a client, which all have a default. */
  public static final class Builder {
    private final Kit kit;
    private Duration timeout = Duration.ofSeconds(15);
    private Retry retry = Retry.DEFAULT;
    private Transport transport;
    private Clock clock = Clock.systemUTC();
    private Sleeper sleeper = pause -> Thread.sleep(pause.toMillis());

    private Builder(Kit kit) {
      this.kit = kit;
    }

    /** Sets the time limit of an attempt. */
    public Builder timeout(Duration timeout) {
      this.timeout = timeout;
      return this;
    }

    public Builder retry(Retry retry) {
      this.retry = retry;
      return this;
    }

    /** Replaces the connection with the kit's certificate. */
    public Builder transport(Transport transport) {
      this.transport = transport;
      return this;
    }

    public Builder clock(Clock clock) {
      this.clock = clock;
      return this;
    }

    public Builder sleeper(Sleeper sleeper) {
      this.sleeper = sleeper;
      return this;
    }

    public Client build() {
      return new Client(this);
    }
  }
}
