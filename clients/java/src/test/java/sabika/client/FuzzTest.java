package sabika.client;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * Mutations of good receipts, reserves, counts and versions: none is accepted, none is a surprise. FUZZ_CASES and
 * FUZZ_SEED say how many and which; {@code npm run clients -- java} hands them on.
 */
class FuzzTest {
  private static final int CASES = number("FUZZ_CASES", 300);
  private static final int SEED = number("FUZZ_SEED", 1);
  private static final List<byte[]> WORDS = Stream.of(
          "\"", "{", "}", "[", ",", ":", "0", "1e1", "-", ".", "=", "null", "\"a\":1,", "\\u0030",
          "\\ud800", "\u00ff", "\u00ed\u00a0\u0080", "\n", "[".repeat(2000), "\u00d9\u00a0")
      .map(word -> word.getBytes(ISO_8859_1)).toList();

  private final Members receipts = Vectors.read("receipt.json");
  private final Members reserves = Vectors.read("reserve.json");
  private final Members counts = Vectors.read("count.json");
  private final Members versions = Vectors.read("versions.json");
  private final String receipt = receipts.list("receipts").get(0).text("jws");
  private final String bars = receipts.inner("bars").inner("version").text("text");
  private final String order = json(receipts, "orders", "answered");
  private final String keys = json(receipts, "keys", "published");
  private final String count = counts.list("counts").get(0).text("jws");
  private final String inspectors = json(counts, "keys", "published");
  private final String operator = json(reserves, "keys", "published");
  private final String auditors = json(reserves, "attestation_keys", "published");
  private final String mine = reserves.inner("openings").text("mine");
  private final String text = reserves.inner("texts").text("reserve");
  private final Members attested = reserves.list("reserves").stream()
      .filter(vector -> vector.text("name").equals("attested")).findFirst().orElseThrow();

  private static int number(String name, int otherwise) {
    return Optional.ofNullable(System.getenv(name)).map(Integer::valueOf).orElse(otherwise);
  }

  private static String json(Members file, String table, String name) {
    return Vectors.jsonOf(file.inner(table).json().get(name));
  }

  /** Says whether an input is accepted. */
  @FunctionalInterface
  private interface Judge {
    boolean accepts(byte[] input) throws Exception;

    /** A judge of texts, in which what is not UTF-8 is a replacement. */
    static Judge of(TextJudge judge) {
      return input -> judge.accepts(new String(input, UTF_8));
    }
  }

  @FunctionalInterface
  private interface TextJudge {
    boolean accepts(String input) throws Exception;
  }

  private boolean reserve(String text, String signature, String attestation, String mine)
      throws Exception {
    var published = new PublishedReserve(text, attested.text("hash"), signature, true, attestation);
    return Reserves.verify(new KeptReserve(published, operator, auditors, null, mine, null)).ok();
  }

  @TestFactory
  Stream<DynamicTest> noMutationOfWhatIsSignedOrHashedIsAccepted() {
    String signature = attested.text("signature");
    String attestation = attested.text("attestation");
    String first = versions.inner("texts").text("first");
    byte[] second = versions.inner("texts").text("second").getBytes(UTF_8);
    return Stream.of(
        exact("receipt", receipt, Judge.of(it -> Receipts.verify(it, keys, null, order, null).ok())),
        exact("bars", bars, it -> Receipts.verify(receipt, keys, it, null, null).ok()),
        exact("count", count, Judge.of(it -> Counts.verify(it, inspectors, null).ok())),
        exact("reserve", text, Judge.of(it -> reserve(it, signature, attestation, mine))),
        exact("signature", signature, Judge.of(it -> reserve(text, it, attestation, mine))),
        exact("attestation", attestation, Judge.of(it -> reserve(text, signature, it, mine))),
        exact("version", first, it -> Versions.verify(List.of(it, second), Map.of()).ok()));
  }

  /** Of what is kept another text may say the same; none is a surprise. */
  @TestFactory
  Stream<DynamicTest> aMutationOfWhatIsKeptIsReadOrIsAnIllegalArgument() {
    return Stream.of(
        read("mine", mine, Judge.of(it -> reserve(text, null, null, it))),
        read("order", order, Judge.of(it -> Receipts.verify(receipt, keys, null, it, null).ok())),
        read("keys", keys, Judge.of(it -> Receipts.verify(receipt, it, null, null, null).ok())),
        read("inspectors", inspectors, Judge.of(it -> Counts.verify(count, it, null).ok())),
        read("any reserve", text, Judge.of(it -> {
          var published = new PublishedReserve(it, null, null, false, null);
          return Reserves.verify(new KeptReserve(published, null, null, null, null, null)).ok();
        })),
        read("any version", bars, it -> Versions.verify(List.of(it), Map.of()).ok()));
  }

  private static DynamicTest exact(String name, String good, Judge judge) {
    return DynamicTest.dynamicTest(name, () -> {
      byte[] bytes = good.getBytes(UTF_8);
      assertTrue(judge.accepts(bytes));
      Random random = new Random(SEED * 31L + name.hashCode());
      for (int n = 0; n < CASES; n++) {
        byte[] input = mutate(bytes, random);
        if (judge.accepts(input)) assertArrayEquals(bytes, input);
      }
    });
  }

  private static DynamicTest read(String name, String good, Judge judge) {
    return DynamicTest.dynamicTest(name, () -> {
      byte[] bytes = good.getBytes(UTF_8);
      assertTrue(judge.accepts(bytes));
      Random random = new Random(SEED * 31L + name.hashCode());
      for (int n = 0; n < CASES; n++) {
        try {
          judge.accepts(mutate(bytes, random));
        } catch (IllegalArgumentException refused) {
          continue;
        }
      }
    });
  }

  /** Changes one to six places. */
  private static byte[] mutate(byte[] good, Random random) {
    byte[] data = good;
    for (int left = 1 + random.nextInt(6); left > 0; left--) {
      int at = random.nextInt(data.length + 1);
      int end = Math.min(data.length, at + random.nextInt(17));
      byte[] there = Arrays.copyOfRange(data, at, end);
      byte[] word = WORDS.get(random.nextInt(WORDS.size()));
      byte[] piece = switch (random.nextInt(4)) {
        case 0 -> new byte[0];
        case 1 -> word;
        case 2 -> join(there, there);
        default -> new byte[] {(byte) random.nextInt(256)};
      };
      data = join(Arrays.copyOf(data, at), piece, Arrays.copyOfRange(data, end, data.length));
    }
    return data;
  }

  private static byte[] join(byte[]... pieces) {
    ByteArrayOutputStream whole = new ByteArrayOutputStream();
    for (byte[] piece : pieces) whole.writeBytes(piece);
    return whole.toByteArray();
  }
}
