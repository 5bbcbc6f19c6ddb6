package sabika.client;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Arrays;
import java.util.regex.Pattern;

/** The list of bars that a version of a pool has (Decision D103). */
final class PoolVersion {
  private static final Pattern CHANGE = Pattern.compile("add|remove|replace");
  private static final Pattern FINENESS =
      Pattern.compile("1000|[1-9][0-9]{0,2}(\\.[1-9])?|0\\.[1-9]");
  private static final BigDecimal THOUSAND = new BigDecimal(1000);

  private PoolVersion() {}

  /** A bar's name, by which the list is sorted. */
  private record Name(String refiner, String serial) {
    boolean isBefore(Name other) {
      int order = compare(refiner, other.refiner);
      return order < 0 || order == 0 && compare(serial, other.serial) < 0;
    }

    /** Compares by code points, where compareTo would compare UTF-16. */
    private static int compare(String a, String b) {
      return Arrays.compareUnsigned(a.getBytes(UTF_8), b.getBytes(UTF_8));
    }
  }

  /** Judges a list by what a receipt says of it; returns the fault, or null if there is none. */
  static String judge(Receipt.Pool pool, byte[] text) {
    if (!Keys.sha256Hex(text).equals(pool.hash())) return "bars_altered";
    try {
      StrictMembers version = StrictMembers.read(text);
      BigInteger fine = readBars(version);
      boolean fits = version.text("pool").equals(pool.id())
          && version.counting("number") == pool.version()
          && fine.equals(pool.fineMicrograms());
      return fits ? null : "bars_do_not_fit";
    } catch (IllegalArgumentException malformed) {
      return "bars_malformed";
    }
  }

  /** Checks a version and returns its fine weight. */
  private static BigInteger readBars(StrictMembers version) {
    version.matching("kind", CHANGE);
    version.text("pool");
    boolean isFirst = version.isNull("previous");
    if (!isFirst) version.hash("previous");
    if (isFirst != (version.counting("number") == 1)) throw new IllegalArgumentException("previous");
    BigInteger sum = BigInteger.ZERO;
    Name before = null;
    for (StrictMembers bar : version.objects("bars")) {
      Name name = new Name(bar.text("refiner"), bar.text("serial"));
      // Sorted, and none there twice.
      if (before != null && !before.isBefore(name)) throw new IllegalArgumentException("not sorted");
      before = name;
      bar.hashes("documents");
      bar.textOrNull("place");
      bar.textOrNull("vault");
      sum = sum.add(fineOf(bar));
    }
    return sum;
  }

  /** Returns a bar's fine weight, which is gross weight × fineness, rounded down (Decision D94). */
  private static BigInteger fineOf(StrictMembers bar) {
    BigDecimal fineness = new BigDecimal(bar.matching("fineness", FINENESS));
    BigDecimal gross = new BigDecimal(bar.micrograms("gross_ug"));
    BigInteger fine = gross.multiply(fineness).divideToIntegralValue(THOUSAND).toBigIntegerExact();
    if (fine.equals(bar.micrograms("fine_ug"))) return fine;
    throw new IllegalArgumentException("fine_ug");
  }
}
