package sabika.client;

import java.net.ProxySelector;
import java.net.URI;
import java.time.Clock;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Function;

/**
 * The service's API for a partner. A program needs only one client, which threads may share. Every method
 * throws {@link SabikaException} if the call fails, the one of {@link Refused} for its code, and {@link Amounts.AmountException} for too precise amounts.
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
public final class Client extends Operations {
  private final Sender sender;

  private Client(Builder builder) {
    Function<Kit, Transport> connect =
        kit -> builder.transport == null ? connect(kit, builder) : builder.transport;
    sender = new Sender(
        builder.kit, connect, builder.timeout, builder.retry, builder.clock, builder.sleeper);
  }

  /** Creates a client with default options. */
  public static Client of(Kit kit) {
    return builder(kit).build();
  }

  public static Builder builder(Kit kit) {
    return new Builder(kit);
  }

  /**
   * Goes on with another kit, such as one with a rotated certificate or key. Requests that are under way end
   * with the old one; all later ones, also those that repeat an earlier one, use the new certificate and a
   * new token.
   */
  public void reload(Kit kit) {
    sender.reload(kit);
  }

  /** Returns the order that a key has made, if any; for use when an outcome is unknown. */
  public Optional<Order> findOrder(String idempotencyKey) {
    return listOrders(ListFilter.ALL.withIdempotencyKey(idempotencyKey)).stream().findFirst();
  }

  @Override
  Sender sender() {
    return sender;
  }

  private static Transport connect(Kit kit, Builder builder) {
    ProxySelector proxy = builder.proxy == null
        ? Proxies.ofEnvironment(URI.create(kit.baseUrl()), System.getenv())
        : Proxies.of(builder.proxy);
    return HttpTransport.of(kit, builder.timeout, proxy);
  }

  /** The options of a client, which all have a default. */
  public static final class Builder {
    private final Kit kit;
    private Duration timeout = Duration.ofSeconds(15);
    private Retry retry = Retry.DEFAULT;
    private URI proxy;
    private Transport transport;
    private Clock clock = Clock.systemUTC();
    private Sleeper sleeper = pause -> Thread.sleep(pause.toMillis());

    private Builder(Kit kit) {
      this.kit = kit;
    }

    /** Sets the time limit of an attempt, with the whole answer; for a stream of events until it begins. */
    public Builder timeout(Duration timeout) {
      this.timeout = timeout;
      return this;
    }

    public Builder retry(Retry retry) {
      this.retry = retry;
      return this;
    }

    /**
     * Sets the proxy, {@code http://host:port}; by default that of {@code HTTPS_PROXY} and {@code NO_PROXY},
     * else the system's. For one that asks for a password give a transport.
     *
     * @throws IllegalArgumentException for other forms
     */
    public Builder proxy(URI proxy) {
      Proxies.of(proxy);
      this.proxy = proxy;
      return this;
    }

    /** Replaces the connection with the kit's certificate, also after a reload. */
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
