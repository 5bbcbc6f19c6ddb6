package sabika.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.math.BigDecimal;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class JsonTest {
  @Test
  void readsEveryKindOfValue() throws Json.SyntaxException {
    Object read = Json.read(" {\"a\": [1.50, -2, 1e3, true, null], \"b\": {}, \"c\": \"\\u0633\\n\\\"\"} ");
    Map<String, Object> expected = new LinkedHashMap<>();
    List<Object> items = new java.util.ArrayList<>();
    items.addAll(List.of(new BigDecimal("1.50"), new BigDecimal("-2"), new BigDecimal("1e3"), true));
    items.add(null);
    expected.put("a", items);
    expected.put("b", Map.of());
    expected.put("c", "س\n\"");
    assertEquals(expected, read);
  }

  @Test
  void refusesTextThatIsNotJson() {
    for (String text : List.of(
        "", "{", "[1,]", "{\"a\":1,}", "{\"a\"}", "\"", "\"\n\"", "\"\\x\"", "\"\\u12\"", "01", "-",
        "1.", "nul", "{} {}", "\ufeff{}", "[".repeat(65) + "]".repeat(65))) {
      assertThrows(Json.SyntaxException.class, () -> Json.read(text), text);
    }
  }

  @Test
  void writesTextsAndNumbersAndOmitsNull() {
    Map<String, Object> members = new LinkedHashMap<>();
    members.put("text", "a\"b\\\n سبيكة");
    members.put("nothing", null);
    members.put("number", new BigDecimal("1E+2"));
    assertEquals("{\"text\":\"a\\\"b\\\\\\n سبيكة\",\"number\":100}", Json.write(members));
  }
}
