package sabika.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ProxySelector;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ReloadTest {
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final AtomicInteger connections = new AtomicInteger();
  private ServerSocket proxy;
  private Path folder;

  @BeforeEach
  void start() throws IOException {
    folder = SandboxKit.folder();
    proxy = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    threads.execute(() -> {
      while (!proxy.isClosed()) accept();
    });
  }

  @AfterEach
  void stop() throws IOException {
    if (proxy != null) proxy.close();
    threads.shutdownNow();
  }

  /** Accepts a connection of a client that goes through the proxy. */
  private void accept() {
    try {
      Socket here = proxy.accept();
      BufferedReader lines =
          new BufferedReader(new InputStreamReader(here.getInputStream(), StandardCharsets.US_ASCII));
      String[] words = lines.readLine().split(" ");
      while (!lines.readLine().isEmpty()) {
        // The headers do not matter.
      }
      assertEquals("CONNECT", words[0]);
      URI target = URI.create("tcp://" + words[1]);
      Socket there = new Socket(target.getHost(), target.getPort());
      connections.incrementAndGet();
      here.getOutputStream().write("HTTP/1.1 200 OK\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
      threads.execute(() -> copy(here, there));
      threads.execute(() -> copy(there, here));
    } catch (IOException closed) {
      // The test is over.
    }
  }

  private static void copy(Socket source, Socket sink) {
    try (source; sink) {
      source.getInputStream().transferTo(sink.getOutputStream());
    } catch (IOException closed) {
      // The other end has left.
    }
  }

  private Kit open() {
    try {
      return Kit.open(folder);
    } catch (IOException wrong) {
      throw new UncheckedIOException(wrong);
    }
  }

  private Client.Builder throughProxy() {
    return Client.builder(open()).proxy(URI.create("http://127.0.0.1:" + proxy.getLocalPort()));
  }

  @Test
  void aReloadedKitHasConnectionsAndTokensOfItsOwn() {
    Client client = throughProxy().build();
    client.balances();
    assertEquals(1, connections.get());
    client.sender().useToken("not.a.token");
    client.reload(open());
    client.balances();
    assertEquals(2, connections.get());
  }

  @Test
  void noCallIsLostWhileKitsAreReloaded() throws Exception {
    Client client = Client.of(open());
    List<Future<Boolean>> probes = IntStream.range(0, 40)
        .mapToObj(i -> threads.submit(() -> client.probe("{}").verified())).toList();
    Kit kit = open();
    // A kit of the same partner with another certificate and key, if npm run clients has made one.
    Kit next = Kit.open(Path.of(System.getenv().getOrDefault("SABIKA_NEXT_KIT", folder.toString())));
    for (Kit reloaded : List.of(next, kit, next, kit, next)) {
      client.reload(reloaded);
      assertEquals(reloaded.signingKeyId(), client.probe("{}").keyId());
    }
    for (Future<Boolean> probe : probes) assertTrue(probe.get());
  }

  @Test
  void aTokenThatIsRefusedToAReplacedKitFailsNoCall() {
    OperationsTest.Recording real = new OperationsTest.Recording(open());
    AtomicReference<Client> client = new AtomicReference<>();
    client.set(Client.builder(open()).transport(request -> {
      boolean isToken = request.uri().getPath().equals("/oauth/token");
      if (!isToken || !real.requests.isEmpty()) return real.send(request);
      real.requests.add(request);
      client.get().reload(open());
      return new SandboxTest.Interposed(request, 401, Map.of());
    }).build());
    client.get().balances();
    assertEquals(3, real.requests.size(), "two for tokens");
  }

  @Test
  void aStreamGoesOnWithTheReloadedKit() {
    OperationsTest.Recording transport = new OperationsTest.Recording(open());
    Client client = Client.builder(open()).transport(transport).build();
    client.fund(new BigDecimal("1"), null);
    long last = client.events(EventFilter.ALL.withLimit(1)).page().data().get(0).sequence();
    try (EventStream events = client.streamEvents(last)) {
      for (int number = 1; number <= 2; number++) {
        client.fund(new BigDecimal("1"), null);
        assertEquals(last + number, events.next().sequence());
        client.reload(open());
      }
    }
    assertEquals(2, transport.requests.stream()
        .filter(request -> request.uri().getPath().equals("/v1/events/stream")).count());
  }

  @Test
  void theEnvironmentNamesTheProxy() {
    URI service = URI.create("https://api.bank.test");
    Map<String, String> variables = Map.of("https_proxy", "http://proxy.test:3128", "NO_PROXY", "other.test, .here.test");
    ProxySelector found = Proxies.ofEnvironment(service, variables);
    assertEquals(
        InetSocketAddress.createUnresolved("proxy.test", 3128).toString(),
        found.select(service).get(0).address().toString());
    for (String direct : List.of("https://127.0.0.1:8443", "https://here.test", "https://a.other.test")) {
      assertEquals(ProxySelector.getDefault(), Proxies.ofEnvironment(URI.create(direct), variables));
    }
    URI secret = URI.create("http://user:password@proxy.test:3128");
    assertThrows(IllegalArgumentException.class, () -> Proxies.of(secret));
  }
}
