package sabika.client;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.interfaces.ECPublicKey;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;

/** The files of docs/vectors, against which the client of each language is tested. */
final class Vectors {
  /** More of them, made by `npm run clients`, or the committed ones. */
  private static final Path FOLDER = Optional.ofNullable(System.getenv("SABIKA_VECTORS"))
      .map(Path::of).orElse(Path.of("..", "..", "docs", "vectors"));

  private Vectors() {}

  static Members read(String name) {
    try {
      return Members.of(Json.read(Files.readString(FOLDER.resolve(name))));
    } catch (IOException missing) {
      throw new UncheckedIOException(missing);
    } catch (Json.SyntaxException malformed) {
      throw new IllegalStateException(malformed);
    }
  }

  /** Tests one vector. */
  @FunctionalInterface
  interface Check {
    void run(Members vector) throws Exception;
  }

  /** Makes a test for each vector of a table, named after its number and name. */
  static Stream<DynamicTest> each(Members file, String table, Check check) {
    var vectors = file.list(table);
    return IntStream.range(0, vectors.size()).mapToObj(number -> {
      Members vector = vectors.get(number);
      Object name = vector.json().get(vector.has("name") ? "name" : "code");
      String title = table + " " + number + (name == null ? "" : " " + name);
      return DynamicTest.dynamicTest(title, () -> check.run(vector));
    });
  }

  private static Members key(String name) {
    return read("keys.json").list("keys").stream()
        .filter(key -> key.text("name").equals(name)).findFirst().orElseThrow();
  }

  static Signer signer(String name) throws GeneralSecurityException {
    return Keys.signer(key(name).text("private_key_pem"), null);
  }

  static ECPublicKey publicKey(String name) throws GeneralSecurityException {
    return Keys.publicKey(key(name).text("public_key_pem"));
  }

  /** Writes what {@link Json#read} returned. */
  static String jsonOf(Object value) {
    if (value instanceof Map<?, ?> members) {
      return members.entrySet().stream()
          .map(member -> Json.quote((String) member.getKey()) + ":" + jsonOf(member.getValue()))
          .collect(Collectors.joining(",", "{", "}"));
    }
    if (value instanceof List<?> items) {
      return items.stream().map(Vectors::jsonOf).collect(Collectors.joining(",", "[", "]"));
    }
    if (value instanceof String text) return Json.quote(text);
    return value instanceof BigDecimal number ? number.toPlainString() : String.valueOf(value);
  }
}
