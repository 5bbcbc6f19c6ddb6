import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import java.io.IOException;
import java.math.BigDecimal;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import sabika.client.Client;
import sabika.client.Event;
import sabika.client.Kit;
import sabika.client.Order;
import sabika.client.Quote;
import sabika.client.SabikaException;
import sabika.client.Side;
import sabika.client.WebhookReceiver;

/**
 * Buys a gram of gold, repeats the order with the same key, and waits for the one webhook.
 *
 * <pre>java -cp target/classes examples/BuyGold.java KIT [WEBHOOK_URL]</pre>
 *
 * <p>With WEBHOOK_URL, an https address on this machine that is registered for the partner, the sandbox's
 * events are received there with the kit's receiver.crt and receiver.key.
 */
public final class BuyGold {
  private final Kit kit;
  private final BlockingQueue<Event> events = new LinkedBlockingQueue<>();

  private BuyGold(Kit kit) {
    this.kit = kit;
  }

  public static void main(String[] args) throws IOException, InterruptedException {
    if (args.length != 1 && args.length != 2) {
      System.err.println("usage: BuyGold KIT [WEBHOOK_URL]");
      System.exit(2);
    }
    BuyGold example = new BuyGold(Kit.open(Path.of(args[0])));
    try {
      if (args.length == 1) example.buy();
      else example.buyAndReceive(URI.create(args[1]));
    } catch (SabikaException refused) {
      System.err.println(refused.getMessage() + " (request " + refused.requestId() + ")");
      System.exit(1);
    }
  }

  private Order buy() {
    Client client = Client.of(kit);
    System.out.println(kit.environment() + ": " + client.prices().buySar() + " SAR a gram");
    if (kit.environment().equals("sandbox")) client.fund(new BigDecimal("1000"), null);
    Quote quote = client.quote(Side.BUY, new BigDecimal("1"), null);
    System.out.println(
        quote.id() + " is firm until " + quote.expiresAt() + ": " + quote.totalSar() + " SAR");
    // Your own reference for the trade, stored before the order is sent.
    String trade = UUID.randomUUID().toString();
    Order order = client.order(quote.id(), trade, trade);
    System.out.println(order.id() + " " + order.status() + ": " + order.goldGrams() + " g for "
        + order.totalSar() + " SAR");
    Order again = client.order(quote.id(), trade, trade);
    String which = again.equals(order) ? "the same" : "another";
    System.out.println(again.id() + " once more: " + which + " order");
    return order;
  }

  private void buyAndReceive(URI url) throws IOException, InterruptedException {
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
        return;
      }
    } finally {
      server.stop(0);
      threads.shutdownNow();
    }
  }

  /** Serves the webhook endpoint, and puts each genuine event into the queue once. */
  private HttpsServer startReceiver(URI url) throws IOException {
    WebhookReceiver receiver = new WebhookReceiver(List.of(kit.webhookSecret()), events::add);
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
