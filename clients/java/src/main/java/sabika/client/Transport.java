package sabika.client;

import java.io.IOException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;

/** Sends a request once and waits for the whole answer; it must not repeat the request. */
@FunctionalInterface
public interface Transport {
  HttpResponse<byte[]> send(HttpRequest request) throws IOException, InterruptedException;
}
