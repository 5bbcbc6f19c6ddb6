import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import java.io.IOException;
import java.math.BigDecimal;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.ZoneId;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import sabika.client.Client;
import sabika.client.Event;
import sabika.client.Kit;
import sabika.client.LedgerEntry;
import sabika.client.ListFilter;
import sabika.client.Order;
import sabika.client.OrderedReceiver;
import sabika.client.Quote;
import sabika.client.SabikaException;
import sabika.client.SequenceStore;
import sabika.client.Side;
import sabika.client.Statement;
import sabika.client.Transport;

/**
 * A partner's day: buys a gram of gold although the answer is lost, receives the events in their
 * order, and reconciles the day's statement with its own trades.
 *
 * <pre>java -cp target/classes examples/TradingDay.java KIT [WEBHOOK_URL]</pre>
 *
 * <p>With WEBHOOK_URL, an https address on this machine that is registered for the partner, the sandbox's
 * events are received there with the kit's receiver.crt and receiver.key.
 */
public final class TradingDay {
  private static final ZoneId RIYADH = ZoneId.of("Asia/Riyadh");

  private final Kit kit;
  private final Client client;
  private final BlockingQueue<Event> events = new LinkedBlockingQueue<>();

  private TradingDay(Kit kit) {
    this.kit = kit;
    client = Client.builder(kit).transport(losesFirstAnswer(kit)).build();
  }

  public static void main(String[] args) throws IOException, InterruptedException {
    if (args.length != 1 && args.length != 2) {
      System.err.println("usage: TradingDay KIT [WEBHOOK_URL]");
      System.exit(2);
    }
    TradingDay day = new TradingDay(Kit.open(Path.of(args[0])));
    try {
      day.reconcile(args.length == 1 ? day.buy() : day.buyAndReceive(URI.create(args[1])));
    } catch (SabikaException refused) {
      System.err.println(refused.getMessage() + " (request " + refused.requestId() + ")");
      System.exit(1);
    }
  }

  /** A connection that loses the first answer to an order, as a network does now and then. */
  private static Transport losesFirstAnswer(Kit kit) {
    HttpClient http = HttpClient.newBuilder().sslContext(kit.sslContext()).build();
    AtomicBoolean isLost = new AtomicBoolean();
    return request -> {
      HttpResponse<byte[]> answer = http.send(request, HttpResponse.BodyHandlers.ofByteArray());
      boolean isOrder =
          request.method().equals("POST") && request.uri().getPath().equals("/v1/orders");
      if (isOrder && !isLost.getAndSet(true)) throw new IOException("the connection broke");
      return answer;
    };
  }

  private Order buy() {
    if (kit.environment().equals("sandbox")) client.fund(new BigDecimal("1000"), null);
    Quote quote = client.quote(Side.BUY, new BigDecimal("1"), null);
    System.out.println(
        quote.id() + " is firm until " + quote.expiresAt() + ": " + quote.totalSar() + " SAR");
    // Your own reference for the trade, stored before the order is sent.
    String trade = UUID.randomUUID().toString();
    Order order = client.order(quote.id(), trade, trade);
    System.out.println(order.id() + " " + order.status() + ": " + order.goldGrams() + " g for "
        + order.totalSar() + " SAR");
    long made = client.listOrders(ListFilter.ALL).stream()
        .filter(listed -> trade.equals(listed.clientReference())).count();
    System.out.println("its answer was lost, its call repeated: " + made + " order");
    return order;
  }

  /** Compares the statement of the day with the order, and its entries with its balances. */
  private void reconcile(Order order) {
    String day = order.createdAt().atZone(RIYADH).toLocalDate().toString();
    Statement statement = client.statement(day);
    Map<String, BigDecimal> sums = new HashMap<>();
    sums.put("cash", statement.opening().sar());
    sums.put("gold", statement.opening().goldGrams());
    boolean isBooked = false;
    for (LedgerEntry entry : statement.entries()) {
      sums.computeIfPresent(entry.debitAccount(), (name, sum) -> sum.subtract(entry.amount()));
      sums.computeIfPresent(entry.creditAccount(), (name, sum) -> sum.add(entry.amount()));
      isBooked |= entry.order() != null && entry.order().id().equals(order.id())
          && entry.order().totalSar().compareTo(order.totalSar()) == 0;
    }
    boolean agrees = isBooked && sums.get("cash").compareTo(statement.closing().sar()) == 0
        && sums.get("gold").compareTo(statement.closing().goldGrams()) == 0;
    System.out.println(day + (agrees ? " reconciled: " : " DIFFERS: ")
        + statement.entries().size() + " entries");
  }

  private Order buyAndReceive(URI url) throws IOException, InterruptedException {
    HttpsServer server = startReceiver(url);
    ExecutorService threads = Executors.newCachedThreadPool();
    server.setExecutor(threads);
    server.start();
    try {
      Order order = buy();
      while (true) {
        Event event = events.poll(30, TimeUnit.SECONDS);
        if (event == null) throw new IOException("the webhook did not come within 30 s");
        if (event.object() == null || !order.id().equals(event.object().get("id"))) continue;
        System.out.println("webhook " + event.type() + " " + order.id());
        return order;
      }
    } finally {
      server.stop(0);
      threads.shutdownNow();
    }
  }

  /** Serves the webhook endpoint, and puts each genuine event into the queue, once and in sequence. */
  private HttpsServer startReceiver(URI url) throws IOException {
    OrderedReceiver<Void> receiver = new OrderedReceiver<>(
        List.of(kit.webhookSecret()),
        (event, none) -> events.add(event),
        SequenceStore.inMemory(), // a table in production
        client::events);
    HttpsServer server =
        HttpsServer.create(new InetSocketAddress(url.getHost(), url.getPort()), 0);
    server.setHttpsConfigurator(new HttpsConfigurator(kit.receiverSslContext()));
    server.createContext(url.getPath(), exchange -> {
      byte[] body = exchange.getRequestBody().readAllBytes();
      int status = receiver.receive(exchange.getRequestHeaders()::getFirst, body);
      exchange.sendResponseHeaders(status, -1);
      exchange.close();
    });
    return server;
  }
}
