package sabika.client;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.net.URLEncoder;
import java.time.Instant;

/** Makes queries and segments of paths. */
final class Query {
  private Query() {}

  /** Makes a query of names and values, in turn, with its question mark; null values are left out. */
  static String of(Object... namesAndValues) {
    StringBuilder query = new StringBuilder();
    for (int i = 0; i < namesAndValues.length; i += 2) {
      Object value = namesAndValues[i + 1];
      if (value == null) continue;
      String text = value instanceof Instant time ? Json.time(time) : value.toString();
      query.append(query.isEmpty() ? '?' : '&').append(namesAndValues[i]).append('=').append(encode(text));
    }
    return query.toString();
  }

  /** Encodes a text for a query or a segment of a path, so that it cannot change the route. */
  static String encode(String text) {
    return URLEncoder.encode(text, UTF_8);
  }
}
