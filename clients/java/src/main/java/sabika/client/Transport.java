package sabika.client;

import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;

/**
 * Sends a request once and waits for the whole answer; it must not repeat the request. It keeps the request's
 * timeout, of which {@link java.net.http.HttpClient#send} before Java 26 times the headers alone.
 */
@FunctionalInterface
public interface Transport {
  HttpResponse<byte[]> send(HttpRequest request) throws IOException, InterruptedException;

  /** Sends the request for a stream, whose answer is read as it comes; it has no timeout. */
  default HttpResponse<InputStream> open(HttpRequest request) throws IOException, InterruptedException {
    throw new UnsupportedOperationException("this transport opens no streams");
  }
}
