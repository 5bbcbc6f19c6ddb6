package sabika.client;

import java.math.BigDecimal;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * The members of a JSON object in an answer. Reading a missing member, or one of the wrong type, throws
 * IllegalArgumentException; {@link #bool} returns false instead.
 */
record Members(Map<?, ?> json) {
  static Members of(Object json) {
    if (json instanceof Map<?, ?> members) return new Members(members);
    throw new IllegalArgumentException("not a JSON object");
  }

  boolean has(String name) {
    return json.get(name) != null;
  }

  String text(String name) {
    if (json.get(name) instanceof String text) return text;
    throw new IllegalArgumentException(name + " is not a string");
  }

  String textOrNull(String name) {
    return has(name) ? text(name) : null;
  }

  BigDecimal number(String name) {
    if (json.get(name) instanceof BigDecimal number) return number;
    throw new IllegalArgumentException(name + " is not a number");
  }

  BigDecimal numberOrNull(String name) {
    return has(name) ? number(name) : null;
  }

  long whole(String name) {
    return number(name).longValueExact();
  }

  Long wholeOrNull(String name) {
    return has(name) ? whole(name) : null;
  }

  Instant time(String name) {
    return Instant.parse(text(name));
  }

  Instant timeOrNull(String name) {
    return has(name) ? time(name) : null;
  }

  boolean bool(String name) {
    return Boolean.TRUE.equals(json.get(name));
  }

  Members inner(String name) {
    return of(json.get(name));
  }

  <T> T inner(String name, Function<Members, T> read) {
    return read.apply(inner(name));
  }

  <T> T innerOrNull(String name, Function<Members, T> read) {
    return has(name) ? inner(name, read) : null;
  }

  List<String> texts(String name) {
    if (json.get(name) instanceof List<?> items) return items.stream().map(Members::textOf).toList();
    throw new IllegalArgumentException(name + " is not an array");
  }

  private static String textOf(Object item) {
    if (item instanceof String text) return text;
    throw new IllegalArgumentException("an item is not a string");
  }

  List<Members> list(String name) {
    if (json.get(name) instanceof List<?> items) return items.stream().map(Members::of).toList();
    throw new IllegalArgumentException(name + " is not an array");
  }
}
