package sabika.client;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.ProxySelector;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpResponse.BodySubscribers;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Sends requests with an HttpClient, and waits for each answer within a time limit; for that of a stream's body
 * only until it begins. HttpRequest's timeout ends with the headers before Java 26 (JDK-8208693).
 */
record HttpTransport(HttpClient http, Duration limit) implements Transport {
  /** A stream is read as it comes, and a refusal at once. */
  private static final BodyHandler<InputStream> STREAM = answer -> answer.statusCode() == 200
      ? BodySubscribers.ofInputStream()
      : BodySubscribers.mapping(BodySubscribers.ofByteArray(), ByteArrayInputStream::new);

  /** Connects with the kit's certificate; a POST is not repeated. */
  static HttpTransport of(Kit kit, Duration limit, ProxySelector proxy) {
    HttpClient http = HttpClient.newBuilder()
        .sslContext(kit.sslContext())
        .version(HttpClient.Version.HTTP_1_1)
        .connectTimeout(limit)
        .proxy(proxy)
        .followRedirects(HttpClient.Redirect.NEVER)
        .build();
    return new HttpTransport(http, limit);
  }

  @Override
  public HttpResponse<byte[]> send(HttpRequest request) throws IOException, InterruptedException {
    return within(request, BodyHandlers.ofByteArray());
  }

  @Override
  public HttpResponse<InputStream> open(HttpRequest request) throws IOException, InterruptedException {
    return within(request, STREAM);
  }

  private <B> HttpResponse<B> within(HttpRequest request, BodyHandler<B> handler)
      throws IOException, InterruptedException {
    CompletableFuture<HttpResponse<B>> answer = http.sendAsync(request, handler);
    try {
      return answer.get(limit.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException late) {
      throw new HttpTimeoutException("no answer within " + limit);
    } catch (ExecutionException failed) {
      if (failed.getCause() instanceof IOException broken) throw broken;
      throw new IOException(failed.getCause());
    } finally {
      // Closes the connection, unless the answer is here.
      answer.cancel(true);
    }
  }
}
