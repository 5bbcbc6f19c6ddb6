package sabika.client;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Function;

/** Carries out calls: token, signature, attempts. */
final class Sender {
  private static final String USER_AGENT = "sabika-client-java/1.0.0";
  private static final Duration RENEW_BEFORE = Duration.ofMinutes(1);

  /** An access token, which is kept only in memory (Specification §5 Token). */
  private record Token(String text, Instant ends) {}

  /** What belongs to one kit: a token is valid only with the certificate that fetched it. */
  private static final class Connection {
    private final Kit kit;
    private final Transport transport;
    private Token token;

    Connection(Kit kit, Transport transport) {
      this.kit = kit;
      this.transport = transport;
    }
  }

  private final Function<Kit, Transport> connect;
  private final Duration timeout;
  private final Retry retry;
  private final Clock clock;
  private final Sleeper sleeper;
  private final SecureRandom random = new SecureRandom();
  /** The service's clock minus the local one. */
  private volatile Duration clockOffset = Duration.ZERO;
  /** What new attempts use. */
  private volatile Connection current;

  Sender(
      Kit kit, Function<Kit, Transport> connect, Duration timeout, Retry retry, Clock clock,
      Sleeper sleeper) {
    this.connect = connect;
    this.timeout = timeout;
    this.retry = retry;
    this.clock = clock;
    this.sleeper = sleeper;
    reload(kit);
  }

  /** Makes all attempts from now on with another kit. */
  void reload(Kit kit) {
    current = new Connection(kit, connect.apply(kit));
  }

  /** Returns what changes when the kit is reloaded. */
  Object connection() {
    return current;
  }

  /** Carries out a call whose answer is JSON, with exact numbers. */
  <T> T send(Call call, Function<Members, T> read) {
    return exchange(call, answer -> read.apply(Members.of(readJson(textOf(answer)))));
  }

  static String textOf(HttpResponse<byte[]> answer) {
    return new String(answer.body(), UTF_8);
  }

  /** Returns the text of an answer; none while it is not ready (202). */
  static Optional<String> textOrNone(HttpResponse<byte[]> answer) {
    return answer.statusCode() == 202 ? Optional.empty() : Optional.of(textOf(answer));
  }

  private static Object readJson(String text) {
    try {
      return Json.read(text);
    } catch (Json.SyntaxException malformed) {
      throw new IllegalArgumentException(malformed);
    }
  }

  /**
   * Carries out a call with as many attempts as the policy allows. Every attempt has its own timestamp,
   * nonce and signature; all have the same key.
   */
  <T> T exchange(Call call, Function<HttpResponse<byte[]>, T> read) {
    return repeat(call, (connection, token) -> attempt(call, connection, token, read));
  }

  /** Opens a stream with as many attempts as the policy allows. */
  InputStream open(Call call) {
    return repeat(call, (connection, token) -> {
      HttpResponse<InputStream> answer =
          answerOf(call, connection, token, connection.transport::open);
      if (answer.statusCode() == 200) return answer.body();
      try (InputStream body = answer.body()) {
        throw refusalOf(call, answer, new String(body.readAllBytes(), UTF_8));
      } catch (IOException broken) {
        throw noAnswer("connection_failed", call, connection, broken);
      }
    });
  }

  private <T> T repeat(Call call, BiFunction<Connection, String, T> attempting) {
    String key = call.idempotencyKey();
    Set<String> cured = new HashSet<>();
    boolean unknown = false;
    for (int attempt = 1;;) {
      Connection connection = current;
      String accessToken = null;
      try {
        if (call.token()) accessToken = accessToken(connection);
      } catch (SabikaException failed) {
        // It says nothing about earlier attempts, and has no key.
        if (connection == current) throw unknown ? SabikaException.stillUnknown(failed, key) : failed;
      }
      // Tokens are bound to certificates, and this one may have been fetched with the next kit's.
      if (connection != current) continue;
      try {
        return attempting.apply(connection, accessToken);
      } catch (SabikaException refusal) {
        SabikaException failure =
            unknown && !refusal.saysEnough() ? SabikaException.stillUnknown(refusal, key) : refusal;
        unknown |= key != null && failure.leavesUnknown();
        if (cured.add(refusal.code()) && cure(refusal, connection, accessToken)) continue;
        Optional<Duration> pause = retry.pause(attempt, failure, random);
        if (pause.isEmpty()) throw failure;
        sleep(pause.get(), call);
        attempt++;
      }
    }
  }

  /** Removes the cause of a failure and returns true, if it can; each remedy once per call. */
  private boolean cure(SabikaException failure, Connection connection, String accessToken) {
    switch (failure.code()) {
      case "token_expired", "token_invalid" -> {
        drop(connection, accessToken);
        return true;
      }
      case "timestamp_out_of_window" -> {
        try {
          String serverTime = String.valueOf(failure.meta().get("server_time"));
          clockOffset = Duration.between(clock.instant(), Instant.parse(serverTime));
          return true;
        } catch (DateTimeParseException noTime) {
          return false;
        }
      }
      default -> {
        return false;
      }
    }
  }

  /** Pauses after so many failures in a row of opening a stream. */
  void pauseAfter(int failures, Call call) {
    sleep(retry.jittered(failures, random), call);
  }

  private void sleep(Duration pause, Call call) {
    try {
      sleeper.sleep(pause);
    } catch (InterruptedException interruption) {
      throw interrupted(call, interruption);
    }
  }

  /** Sends a request once. */
  private interface Sending<B> {
    HttpResponse<B> send(HttpRequest request) throws IOException, InterruptedException;
  }

  private <B> HttpResponse<B> answerOf(
      Call call, Connection connection, String accessToken, Sending<B> sending) {
    try {
      return sending.send(request(call, connection.kit, accessToken));
    } catch (HttpTimeoutException late) {
      throw noAnswer("request_timed_out", call, connection, late);
    } catch (IOException broken) {
      throw noAnswer("connection_failed", call, connection, broken);
    } catch (InterruptedException interruption) {
      throw interrupted(call, interruption);
    }
  }

  private static SabikaException refusalOf(Call call, HttpResponse<?> answer, String text) {
    String requestId = answer.headers().firstValue("x-request-id").orElse(null);
    String retryAfter = answer.headers().firstValue("retry-after").orElse(null);
    String key = call.idempotencyKey();
    return SabikaException.refusal(answer.statusCode(), text, requestId, retryAfter, key);
  }

  private <T> T attempt(
      Call call, Connection connection, String accessToken,
      Function<HttpResponse<byte[]>, T> read) {
    HttpResponse<byte[]> answer =
        answerOf(call, connection, accessToken, connection.transport::send);
    int status = answer.statusCode();
    String requestId = answer.headers().firstValue("x-request-id").orElse(null);
    // 503 is an answer to /health, not a failure (Decision D16).
    boolean isHealth = call.path().equals("/health") && status == 503;
    if ((status < 200 || status > 299) && !isHealth) {
      throw refusalOf(call, answer, textOf(answer));
    }
    try {
      return read.apply(answer);
    } catch (RuntimeException wrong) {
      String message = "the answer to " + call.method() + " " + call.path()
          + " is not of the promised form (request " + requestId + ")";
      String key = call.idempotencyKey();
      throw SabikaException.local("unexpected_answer", message, status, false, key, wrong);
    }
  }

  private HttpRequest request(Call call, Kit kit, String accessToken) {
    String url = kit.baseUrl() + call.path();
    byte[] body = call.body() == null ? new byte[0] : call.body().getBytes(UTF_8);
    HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(url))
        .header("Accept", call.accept())
        .header("User-Agent", USER_AGENT);
    // Since Java 26 it ends a stream, too (JDK-8208693).
    if (!call.isStream()) request.timeout(timeout);
    if (call.body() == null) {
      request.method(call.method(), HttpRequest.BodyPublishers.noBody());
    } else {
      request.method(call.method(), HttpRequest.BodyPublishers.ofByteArray(body));
      request.header("Content-Type", call.mediaType());
    }
    if (accessToken != null) request.header("Authorization", "Bearer " + accessToken);
    if (call.idempotencyKey() != null) request.header("Idempotency-Key", call.idempotencyKey());
    if (call.signed()) sign(call, kit, url, body).forEach(request::header);
    return request.build();
  }

  private Map<String, String> sign(Call call, Kit kit, String url, byte[] body) {
    byte[] nonce = new byte[16];
    random.nextBytes(nonce);
    String timestamp = String.valueOf(clock.instant().plus(clockOffset).getEpochSecond());
    try {
      return Signing.signRequest(
          call.method(), url, body, timestamp, HexFormat.of().formatHex(nonce), kit.signer());
    } catch (GeneralSecurityException | RuntimeException failed) {
      String message = "the signing key did not sign, and nothing was sent";
      String key = call.idempotencyKey();
      throw SabikaException.local("signer_failed", message, 0, true, key, failed);
    }
  }

  /** Returns a token that is still valid for a while; one fetch at a time. */
  private String accessToken(Connection connection) {
    synchronized (connection) {
      Instant askedAt = clock.instant();
      Token token = connection.token;
      if (token != null && askedAt.plus(RENEW_BEFORE).isBefore(token.ends())) return token.text();
      String form = "grant_type=client_credentials&client_id=" + encode(connection.kit.clientId())
          + "&client_secret=" + encode(connection.kit.clientSecret());
      String mediaType = "application/x-www-form-urlencoded";
      Call call = new Call("POST", "/oauth/token", Call.JSON, mediaType, form, false, false, null);
      connection.token = send(call, members -> new Token(
          members.text("access_token"),
          askedAt.plusSeconds(members.number("expires_in").longValueExact())));
      return connection.token.text();
    }
  }

  private static void drop(Connection connection, String text) {
    synchronized (connection) {
      if (connection.token != null && connection.token.text().equals(text)) connection.token = null;
    }
  }

  /** Sets the token, for tests. */
  void useToken(String text) {
    synchronized (current) {
      current.token = new Token(text, clock.instant().plus(Duration.ofHours(1)));
    }
  }

  private static SabikaException noAnswer(
      String code, Call call, Connection connection, IOException cause) {
    String message = "no answer from " + connection.kit.baseUrl();
    return SabikaException.local(code, message, 0, true, call.idempotencyKey(), cause);
  }

  private static SabikaException interrupted(Call call, InterruptedException cause) {
    Thread.currentThread().interrupt();
    String key = call.idempotencyKey();
    return SabikaException.local("interrupted", "the thread was interrupted", 0, false, key, cause);
  }

  private static String encode(String text) {
    return URLEncoder.encode(text, UTF_8);
  }
}
