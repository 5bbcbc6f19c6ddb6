package sabika.client;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * The members of a JSON object of which each has a form, as in receipts (Decision D103). Reading a missing member,
 * or one of another form, throws IllegalArgumentException.
 */
record StrictMembers(Map<?, ?> json) {
  private static final Pattern ANY = Pattern.compile(".*", Pattern.DOTALL);
  private static final Pattern DIGITS = Pattern.compile("0|[1-9][0-9]{0,18}");
  private static final Pattern COUNTING = Pattern.compile("[1-9][0-9]{0,14}");
  private static final Pattern HASH = Pattern.compile("[0-9a-f]{64}");
  // Instant.parse would accept hour 24 and second 60.
  private static final Pattern TIME = Pattern.compile(
      "[0-9]{4}-[0-9]{2}-[0-9]{2}T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\\.[0-9]{3})?Z");

  /** Reads a text that is one JSON object, its numbers exactly. */
  static StrictMembers read(String text) {
    try {
      return of(Json.readExact(text));
    } catch (Json.SyntaxException malformed) {
      throw new IllegalArgumentException(malformed);
    }
  }

  /** Reads UTF-8 that is one JSON object. */
  static StrictMembers read(byte[] utf8) {
    try {
      var decoder = StandardCharsets.UTF_8.newDecoder();
      return read(decoder.decode(ByteBuffer.wrap(utf8)).toString());
    } catch (CharacterCodingException malformed) {
      throw new IllegalArgumentException(malformed);
    }
  }

  static StrictMembers of(Object json) {
    if (json instanceof Map<?, ?> members) return new StrictMembers(members);
    throw new IllegalArgumentException("not a JSON object");
  }

  boolean has(String name) {
    return json.containsKey(name);
  }

  /** Returns whether a member, which must be there, is null. */
  boolean isNull(String name) {
    if (!has(name)) throw new IllegalArgumentException(name + " is missing");
    return json.get(name) == null;
  }

  StrictMembers inner(String name) {
    return of(json.get(name));
  }

  List<?> list(String name) {
    if (json.get(name) instanceof List<?> items) return items;
    throw new IllegalArgumentException(name + " is not an array");
  }

  static String matching(Object value, Pattern form) {
    if (value instanceof String text && form.matcher(text).matches()) return text;
    throw new IllegalArgumentException("a member has another form");
  }

  String matching(String name, Pattern form) {
    return matching(json.get(name), form);
  }

  String text(String name) {
    return matching(name, ANY);
  }

  String textOrNull(String name) {
    return isNull(name) ? null : text(name);
  }

  List<String> texts(String name) {
    return list(name).stream().map(item -> matching(item, ANY)).toList();
  }

  List<String> hashes(String name) {
    return list(name).stream().map(item -> matching(item, HASH)).toList();
  }

  List<StrictMembers> objects(String name) {
    return list(name).stream().map(StrictMembers::of).toList();
  }

  String hash(String name) {
    return matching(name, HASH);
  }

  BigInteger micrograms(String name) {
    return micrograms(json.get(name));
  }

  static BigInteger micrograms(Object value) {
    return new BigInteger(matching(value, DIGITS));
  }

  long counting(String name) {
    if (json.get(name) instanceof Json.NumberText number
        && COUNTING.matcher(number.text()).matches()) {
      return Long.parseLong(number.text());
    }
    throw new IllegalArgumentException(name + " is not such a number");
  }

  /** Returns 0 if the member is null. */
  long countingOrZero(String name) {
    return isNull(name) ? 0 : counting(name);
  }

  Instant time(String name) {
    try {
      return Instant.parse(matching(name, TIME));
    } catch (DateTimeException wrong) {
      throw new IllegalArgumentException(wrong);
    }
  }

  Instant timeOrNull(String name) {
    return isNull(name) ? null : time(name);
  }

  BigDecimal amount(String name, int decimals) {
    if (json.get(name) instanceof Json.NumberText number) return Amounts.parse(number.text(), decimals);
    throw new IllegalArgumentException(name + " is not a number");
  }
}
