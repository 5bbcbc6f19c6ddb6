package sabika.client;

import java.math.BigDecimal;
import java.util.List;
import java.util.Map;

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

  boolean bool(String name) {
    return Boolean.TRUE.equals(json.get(name));
  }

  Members inner(String name) {
    return of(json.get(name));
  }

  List<Members> list(String name) {
    if (json.get(name) instanceof List<?> items) return items.stream().map(Members::of).toList();
    throw new IllegalArgumentException(name + " is not an array");
  }
}
