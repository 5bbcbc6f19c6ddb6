package sabika.client;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.math.BigDecimal;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Reads and writes JSON (RFC 8259) as {@code Map}, {@code List}, {@code String}, {@code BigDecimal}, {@code
 * Boolean} and null. Numbers are exact, and duplicate members are refused (Decision D5).
 */
final class Json {
  /** Thrown for a text that is not JSON. The message does not contain the text. */
  static class SyntaxException extends Exception {
    private static final long serialVersionUID = 1;

    SyntaxException(String reason, int position) {
      super(reason + " at position " + position);
    }
  }

  /** Thrown for an object with two members of one name. */
  static final class DuplicateMemberException extends SyntaxException {
    private static final long serialVersionUID = 1;

    DuplicateMemberException(int position) {
      super("a member came before", position);
    }
  }

  private static final int LEVELS_MAX = 32;
  private static final Pattern NUMBER =
      Pattern.compile("-?(?:0|[1-9][0-9]*)(?:\\.[0-9]+)?(?:[eE][+-]?[0-9]{1,9})?");

  /** A number as it is written; a {@code BigDecimal} does not tell 1e1 from 10. */
  record NumberText(String text) {}

  private final String text;
  private final boolean keepsNumbers;
  private int at;
  private int level;

  private Json(String text, boolean keepsNumbers) {
    this.text = text;
    this.keepsNumbers = keepsNumbers;
  }

  /** Reads a text that is a single JSON value. */
  static Object read(String text) throws SyntaxException {
    return readAll(new Json(text, false));
  }

  /** Reads like {@link #read}, but numbers as {@link NumberText}. */
  static Object readExact(String text) throws SyntaxException {
    return readAll(new Json(text, true));
  }

  private static Object readAll(Json reader) throws SyntaxException {
    Object value = reader.readValue();
    reader.skipBlanks();
    if (reader.at < reader.text.length()) throw reader.wrong("unexpected text after the value");
    return value;
  }

  /** Writes an object of strings, numbers, lists and objects; null members are omitted. */
  static String write(Map<String, ?> members) {
    return members.entrySet().stream()
        .filter(member -> member.getValue() != null)
        .map(member -> quote(member.getKey()) + ":" + writeValue(member.getValue()))
        .collect(Collectors.joining(",", "{", "}"));
  }

  private static String writeValue(Object value) {
    if (value instanceof BigDecimal number) return number.toPlainString();
    if (value instanceof List<?> items) {
      return items.stream().map(Json::writeValue).collect(Collectors.joining(",", "[", "]"));
    }
    if (value instanceof Map<?, ?> members) {
      Map<String, Object> named = new LinkedHashMap<>();
      members.forEach((name, member) -> named.put((String) name, member));
      return write(named);
    }
    return value instanceof Number number ? number.toString() : quote((String) value);
  }

  /** Makes an object of names and values, in turn. */
  static Map<String, Object> object(Object... namesAndValues) {
    Map<String, Object> members = new LinkedHashMap<>();
    for (int i = 0; i < namesAndValues.length; i += 2) {
      members.put((String) namesAndValues[i], namesAndValues[i + 1]);
    }
    return members;
  }

  /** Writes a time as the service takes it: in UTC, to the millisecond. */
  static String time(Instant time) {
    return time.truncatedTo(ChronoUnit.MILLIS).toString();
  }

  /** Writes what {@link #readExact} returned as canonical JSON (RFC 8785), its numbers as they were. */
  static String canonical(Object value) {
    if (value instanceof Map<?, ?> members) {
      return new TreeMap<>(members).entrySet().stream()
          .map(member -> quote((String) member.getKey()) + ":" + canonical(member.getValue()))
          .collect(Collectors.joining(",", "{", "}"));
    }
    if (value instanceof List<?> items) {
      return items.stream().map(Json::canonical).collect(Collectors.joining(",", "[", "]"));
    }
    if (value instanceof String text) return quote(text);
    return value instanceof NumberText number ? number.text() : String.valueOf(value);
  }

  /** Writes a string, as canonical JSON does. */
  static String quote(String text) {
    StringBuilder json = new StringBuilder("\"");
    for (int i = 0; i < text.length(); i++) {
      char letter = text.charAt(i);
      int known = "\"\\\b\f\n\r\t".indexOf(letter);
      if (known >= 0) json.append('\\').append("\"\\bfnrt".charAt(known));
      else if (letter < ' ') json.append(String.format("\\u%04x", (int) letter));
      else json.append(letter);
    }
    return json.append('"').toString();
  }

  private Object readValue() throws SyntaxException {
    skipBlanks();
    if (at == text.length()) throw wrong("the text ends where a value should stand");
    switch (text.charAt(at)) {
      case '{':
        return readObject();
      case '[':
        return readArray();
      case '"':
        return readString();
      case 't':
        return readWord("true", true);
      case 'f':
        return readWord("false", false);
      case 'n':
        return readWord("null", null);
      default:
        return readNumber();
    }
  }

  private Map<String, Object> readObject() throws SyntaxException {
    enter();
    Map<String, Object> members = new LinkedHashMap<>();
    if (!skip('}')) {
      do {
        skipBlanks();
        int start = at;
        if (at == text.length() || text.charAt(at) != '"') throw wrong("no member's name");
        String name = readString();
        if (members.containsKey(name)) throw new DuplicateMemberException(start);
        expect(':');
        members.put(name, readValue());
      } while (skip(','));
      expect('}');
    }
    level--;
    return members;
  }

  private List<Object> readArray() throws SyntaxException {
    enter();
    List<Object> items = new ArrayList<>();
    if (!skip(']')) {
      do {
        items.add(readValue());
      } while (skip(','));
      expect(']');
    }
    level--;
    return items;
  }

  private void enter() throws SyntaxException {
    at++;
    if (++level > LEVELS_MAX) throw wrong("too many levels");
  }

  private String readString() throws SyntaxException {
    StringBuilder value = new StringBuilder();
    for (at++; at < text.length(); at++) {
      char letter = text.charAt(at);
      if (letter == '"') {
        at++;
        String whole = value.toString();
        if (!UTF_8.newEncoder().canEncode(whole)) throw wrong("half a character in a string");
        return whole;
      }
      if (letter < ' ') throw wrong("a control character in a string");
      value.append(letter == '\\' ? readEscape() : letter);
    }
    throw wrong("the text ends inside a string");
  }

  private char readEscape() throws SyntaxException {
    at++;
    char letter = at < text.length() ? text.charAt(at) : ' ';
    int known = "\"\\/bfnrt".indexOf(letter);
    if (known >= 0) return "\"\\/\b\f\n\r\t".charAt(known);
    String digits = letter == 'u' && at + 5 <= text.length() ? text.substring(at + 1, at + 5) : "";
    if (!digits.matches("[0-9a-fA-F]{4}")) throw wrong("there is no such escape");
    at += 4;
    return (char) Integer.parseInt(digits, 16);
  }

  private Object readWord(String word, Object value) throws SyntaxException {
    if (!text.startsWith(word, at)) throw wrong("not a JSON value");
    at += word.length();
    return value;
  }

  private Object readNumber() throws SyntaxException {
    Matcher match = NUMBER.matcher(text).region(at, text.length());
    if (!match.lookingAt()) throw wrong("not a JSON value");
    at = match.end();
    return keepsNumbers ? new NumberText(match.group()) : new BigDecimal(match.group());
  }

  private void skipBlanks() {
    while (at < text.length() && " \t\n\r".indexOf(text.charAt(at)) >= 0) at++;
  }

  private boolean skip(char sign) {
    skipBlanks();
    if (at == text.length() || text.charAt(at) != sign) return false;
    at++;
    return true;
  }

  private void expect(char sign) throws SyntaxException {
    if (!skip(sign)) throw wrong("'" + sign + "' should stand here");
  }

  private SyntaxException wrong(String reason) {
    return new SyntaxException(reason, at);
  }
}
