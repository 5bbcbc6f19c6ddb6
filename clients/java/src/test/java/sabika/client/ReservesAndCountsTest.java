package sabika.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

class ReservesAndCountsTest {
  private final Members reserves = Vectors.read("reserve.json");
  private final Members counts = Vectors.read("count.json");

  private String text(String name) {
    return name == null ? null : reserves.inner("texts").text(name);
  }

  private String opening(Object name) {
    return name == null ? null : reserves.inner("openings").text((String) name);
  }

  private String auditors(String name) {
    return name == null
        ? null : Vectors.jsonOf(reserves.inner("attestation_keys").json().get(name));
  }

  private static String keys(Members file, String name) {
    return name == null ? null : Vectors.jsonOf(file.inner("keys").json().get(name));
  }

  @TestFactory
  Stream<DynamicTest> reservesAreJudgedAsInTheVectors() {
    return Vectors.each(reserves, "reserves", vector -> {
      Object openings = vector.json().get("openings");
      VerifiedReserve verified = Reserves.verify(new KeptReserve(
          new PublishedReserve(
              text(vector.text("text")),
              vector.textOrNull("hash"),
              vector.textOrNull("signature"),
              false,
              vector.textOrNull("attestation")),
          keys(reserves, vector.textOrNull("keys")),
          auditors(vector.textOrNull("attestation_keys")),
          text(vector.textOrNull("previous")),
          opening(vector.textOrNull("mine")),
          openings == null
              ? null
              : ((List<?>) openings).stream().map(this::opening).collect(Collectors.joining("\n"))));
      assertEquals(vector.json().get("faults"), verified.faults());
      assertEquals(verified.faults().isEmpty(), verified.ok());
    });
  }

  @Test
  void reservesHaveExactValues() throws Exception {
    Reserve reserve = Reserves.verify(kept(null, null, null)).reserve();
    assertEquals(new BigDecimal("1234.75"), reserve.obligations());
    assertEquals(BigInteger.valueOf(14_626_545_860L), reserve.pools().get(0).fine());
  }

  private KeptReserve kept(String keys, String mine, String openings) {
    var reserve = new PublishedReserve(text("reserve"), null, null, false, null);
    return new KeptReserve(reserve, keys, null, null, mine, openings);
  }

  @Test
  void keysOrOpeningsOfAnotherFormAreAMistakeOfTheCaller() {
    String line = opening("mine");
    for (KeptReserve wrong : List.of(
        kept("{}", null, null), kept(null, "{}", null), kept(null, null, line + "\n{}"))) {
      assertThrows(IllegalArgumentException.class, () -> Reserves.verify(wrong));
    }
    String jws = counts.list("counts").get(0).text("jws");
    // Keys of receipts have no role.
    String keys = keys(reserves, "published");
    assertThrows(IllegalArgumentException.class, () -> Counts.verify(jws, keys, null));
  }

  @TestFactory
  Stream<DynamicTest> countsAreJudgedAsInTheVectors() {
    return Vectors.each(counts, "counts", vector -> {
      VerifiedCount verified = Counts.verify(
          vector.text("jws"), keys(counts, vector.text("keys")), vector.textOrNull("count"));
      assertEquals(vector.json().get("faults"), verified.faults());
      assertEquals(verified.faults().isEmpty(), verified.ok());
    });
  }

  @Test
  void aCountSaysWhatWasMissingAndWhoseKeySignedIt() throws Exception {
    String jws = counts.list("counts").get(0).text("jws");
    VerifiedCount verified = Counts.verify(jws, keys(counts, "published"), null);
    assertEquals(List.of("B-2"), verified.count().missing());
    assertEquals("Gulf Inspection", verified.holder());
  }
}
