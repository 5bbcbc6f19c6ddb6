package sabika.client;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Answers that stop in their body, over plain HTTP. */
@Timeout(value = 10, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class TimeLimitTest {
  private static final Duration LIMIT = Duration.ofSeconds(1);
  private static final String STREAM = "/v1/events/stream";

  private final Map<String, String> answers = new ConcurrentHashMap<>();
  private final Map<String, Socket> connections = new ConcurrentHashMap<>();
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final HttpClient http = HttpClient.newHttpClient();
  private ServerSocket service;
  private Kit kit;

  @BeforeEach
  void start() throws Exception {
    kit = SandboxKit.open();
    service = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    threads.execute(() -> {
      while (!service.isClosed()) accept();
    });
    answers.put("/oauth/token", answer(200, "{\"access_token\":\"secret\",\"expires_in\":600}"));
    answers.put("/v1/orders", silent(201));
    // The first request of a machine that is busy takes long.
    answers.put("/health", answer(200, ""));
    var warm = HttpRequest.newBuilder(URI.create(kit.baseUrl() + "/health")).build();
    http.send(toService(warm), HttpResponse.BodyHandlers.discarding());
  }

  @AfterEach
  void stop() throws IOException {
    threads.shutdownNow();
    if (service != null) service.close();
    for (Socket connection : connections.values()) connection.close();
  }

  private static String head(int status) {
    return "HTTP/1.1 " + status + " \r\nConnection: close\r\n";
  }

  private static String answer(int status, String body) {
    return head(status) + "Content-Length: " + body.length() + "\r\n\r\n" + body;
  }

  private static String silent(int status) {
    return head(status) + "Content-Length: 100\r\n\r\n{\"id\"";
  }

  /** Answers a request, and is silent from then on. */
  private void accept() {
    try {
      Socket connection = service.accept();
      var lines = new BufferedReader(new InputStreamReader(connection.getInputStream(), US_ASCII));
      String first = lines.readLine();
      if (first == null) return;
      String path = first.split(" ")[1];
      int length = 0;
      for (String line = lines.readLine(); !line.isEmpty(); line = lines.readLine()) {
        if (line.startsWith("Content-Length: ")) length = Integer.parseInt(line.substring(16));
      }
      while (length > 0) length -= lines.skip(length);
      connections.put(path, connection);
      connection.getOutputStream().write(answers.get(path).getBytes(US_ASCII));
    } catch (IOException closed) {
      // The test is over.
    }
  }

  private Client client() {
    HttpTransport limited = new HttpTransport(http, LIMIT);
    Transport transport = new Transport() {
      @Override
      public HttpResponse<byte[]> send(HttpRequest request) throws IOException, InterruptedException {
        assertEquals(Optional.of(LIMIT), request.timeout());
        return limited.send(toService(request));
      }

      @Override
      public HttpResponse<InputStream> open(HttpRequest request) throws IOException, InterruptedException {
        assertEquals(Optional.empty(), request.timeout());
        return limited.open(toService(request));
      }
    };
    Retry once = new Retry(1, Duration.ZERO, Duration.ZERO);
    return Client.builder(kit).timeout(LIMIT).retry(once).transport(transport).build();
  }

  private HttpRequest toService(HttpRequest request) {
    URI uri = URI.create("http://127.0.0.1:" + service.getLocalPort() + request.uri().getPath());
    return HttpRequest.newBuilder(request, (name, value) -> true).uri(uri).build();
  }

  private static SabikaException assertTimesOut(Runnable call) {
    var failure = assertThrows(SabikaException.class, call::run);
    assertEquals("request_timed_out", failure.code());
    assertTrue(failure.retryable());
    return failure;
  }

  @Test
  void anOrderWhoseAnswerStopsInItsBodyTimesOut() throws IOException {
    Client client = client();
    assertNotNull(assertTimesOut(() -> client.order("qt_1", null, null)).idempotencyKey());
    assertEquals(-1, connections.get("/v1/orders").getInputStream().read(), "it is closed");
  }

  @Test
  void aTokenThatStopsInItsBodyHoldsUpNoLaterCall() {
    Client client = client();
    String token = answers.put("/oauth/token", silent(200));
    assertTimesOut(client::balances);
    answers.put("/oauth/token", token);
    answers.put("/v1/balances", answer(503, "{\"code\":\"service_unavailable\"}"));
    assertEquals("service_unavailable", assertThrows(SabikaException.class, client::balances).code());
  }

  @Test
  void aStreamLastsLongerThanTheTimeLimit() throws IOException {
    Client client = client();
    answers.put(STREAM, head(200) + "\r\n");
    try (InputStream stream = client.sender().open(Call.stream(STREAM))) {
      assertTimesOut(() -> client.order("qt_1", null, null));
      connections.get(STREAM).getOutputStream().write('d');
      assertEquals('d', stream.read());
    }
  }

  @Test
  void aRefusalOfAStreamThatStopsInItsBodyTimesOut() {
    answers.put(STREAM, silent(503));
    assertTimesOut(() -> client().sender().open(Call.stream(STREAM)));
  }
}
