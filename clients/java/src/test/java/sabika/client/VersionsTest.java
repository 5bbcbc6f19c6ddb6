package sabika.client;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

class VersionsTest {
  private final Members file = Vectors.read("versions.json");

  @TestFactory
  Stream<DynamicTest> versionsAreJudgedAsInTheVectors() {
    return Vectors.each(file, "chains", vector -> {
      List<byte[]> texts = ((List<?>) vector.json().get("texts")).stream()
          .map(name -> file.inner("texts").text((String) name).getBytes(UTF_8)).toList();
      Map<Long, String> hashes = new HashMap<>();
      vector.inner("hashes").json().forEach(
          (number, hash) -> hashes.put(Long.valueOf((String) number), (String) hash));
      VerifiedVersions verified = Versions.verify(texts, hashes);
      assertEquals(vector.json().get("faults"), verified.faults());
      assertEquals(vector.has("at") ? vector.number("at").intValue() : -1, verified.at());
      assertEquals(verified.faults().isEmpty(), verified.ok());
    });
  }
}
