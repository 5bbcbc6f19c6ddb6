package sabika.client;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * The list of bars that a version of a pool has (Decision D103).
 *
 * @param previous null for the first
 */
record PoolVersion(String pool, long number, String kind, String previous, List<Bar> bars) {
  private static final Pattern CHANGE = Pattern.compile("add|remove|replace");
  private static final Pattern FINENESS =
      Pattern.compile("1000|[1-9][0-9]{0,2}(\\.[1-9])?|0\\.[1-9]");
  private static final BigDecimal THOUSAND = new BigDecimal(1000);

  /** A bar; place and vault may be null. */
  record Bar(
      String refiner, String serial, BigInteger gross, String fineness, BigInteger fine,
      String place, String vault, List<String> documents) {
    /** Reads a bar, whose fine weight is gross weight × fineness, rounded down (Decision D94). */
    static Bar read(StrictMembers bar) {
      Bar read = new Bar(
          bar.text("refiner"), bar.text("serial"), bar.micrograms("gross_ug"),
          bar.matching("fineness", FINENESS), bar.micrograms("fine_ug"), bar.textOrNull("place"),
          bar.textOrNull("vault"), bar.hashes("documents"));
      BigDecimal product = new BigDecimal(read.gross).multiply(new BigDecimal(read.fineness));
      BigInteger fine = product.divideToIntegralValue(THOUSAND).toBigIntegerExact();
      if (fine.equals(read.fine)) return read;
      throw new IllegalArgumentException("fine_ug");
    }

    boolean isBefore(Bar other) {
      int order = compare(refiner, other.refiner);
      return order < 0 || order == 0 && compare(serial, other.serial) < 0;
    }

    /** Compares by code points, where compareTo would compare UTF-16. */
    private static int compare(String a, String b) {
      return Arrays.compareUnsigned(a.getBytes(UTF_8), b.getBytes(UTF_8));
    }
  }

  /** Reads a version; throws IllegalArgumentException if it is none. */
  static PoolVersion read(byte[] text) {
    StrictMembers members = StrictMembers.read(text);
    PoolVersion version = new PoolVersion(
        members.text("pool"),
        members.counting("number"),
        members.matching("kind", CHANGE),
        members.isNull("previous") ? null : members.hash("previous"),
        members.objects("bars").stream().map(Bar::read).toList());
    if ((version.previous == null) != (version.number == 1)) {
      throw new IllegalArgumentException("previous");
    }
    for (int i = 1; i < version.bars.size(); i++) {
      // Sorted, and none there twice.
      if (!version.bars.get(i - 1).isBefore(version.bars.get(i))) {
        throw new IllegalArgumentException("not sorted");
      }
    }
    return version;
  }

  BigInteger fine() {
    return bars.stream().map(Bar::fine).reduce(BigInteger.ZERO, BigInteger::add);
  }

  /** Judges a list by what a receipt says of it; returns the fault, or null if there is none. */
  static String judge(Receipt.Pool pool, byte[] text) {
    if (!Keys.sha256Hex(text).equals(pool.hash())) return "bars_altered";
    try {
      PoolVersion version = read(text);
      boolean fits = version.pool.equals(pool.id())
          && version.number == pool.version()
          && version.fine().equals(pool.fineMicrograms());
      return fits ? null : "bars_do_not_fit";
    } catch (IllegalArgumentException malformed) {
      return "bars_malformed";
    }
  }

  /** Returns what does not hold after the version before, which is null for the first text. */
  Set<String> judgeAfter(PoolVersion before) {
    Set<String> found = new HashSet<>();
    if (before == null) {
      if (number == 1 && !kind.equals(change(List.of()))) found.add("other_change");
      return found;
    }
    if (!pool.equals(before.pool)) found.add("other_pool");
    if (number != before.number + 1) found.add("number_missing");
    if (!found.isEmpty()) return found;
    String change = change(before.bars);
    if (!kind.equals(change)) found.add("other_change");
    if ("replace".equals(change) && fine().compareTo(before.fine()) < 0) found.add("less_fine");
    return found;
  }

  /** Returns what this list changed of another; null if nothing. */
  private String change(List<Bar> before) {
    boolean hasRemoved = !new HashSet<>(bars).containsAll(before);
    boolean hasAdded = !new HashSet<>(before).containsAll(bars);
    if (hasRemoved && hasAdded) return "replace";
    if (hasAdded) return "add";
    return hasRemoved ? "remove" : null;
  }
}
