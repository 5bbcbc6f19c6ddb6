package sabika.client;

import java.io.IOException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;

/** Sends one request and waits for the whole answer; it must not send it again by itself. */
@FunctionalInterface
public interface Transport {
  HttpResponse<byte[]> send(HttpRequest request) throws IOException, InterruptedException;
}
