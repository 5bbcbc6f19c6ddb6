package sabika.client;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** Verifies reserves, which say what is owed and what is there, without a network (Decision D105). */
public final class Reserves {
  private static final List<String> FAULTS = List.of(
      "other_hash", "wrong_signature", "other_previous", "other_day", "not_committed",
      "openings_missing", "cash_differs", "gold_differs", "gold_not_covered");

  private Reserves() {}

  /** What a commitment hides. */
  private record Opening(
      String partner, String day, BigDecimal cash, BigInteger gold, String pool, String salt) {
    static Opening read(String json) {
      StrictMembers opening = StrictMembers.read(json);
      return new Opening(
          opening.text("partner"), opening.text("day"),
          opening.amount("cash", Amounts.SAR_DECIMALS), opening.micrograms("gold_ug"),
          opening.text("pool"), opening.hash("salt"));
    }

    /** The hash of the salt and four lines. */
    String commitment() {
      BigInteger halalas = cash.movePointRight(Amounts.SAR_DECIMALS).toBigIntegerExact();
      String lines = partner + "\n" + day + "\n" + halalas + "\n" + gold + "\n";
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      bytes.writeBytes(HexFormat.of().parseHex(salt));
      bytes.writeBytes(lines.getBytes(UTF_8));
      return Keys.sha256Hex(bytes.toByteArray());
    }
  }

  /**
   * Verifies that a reserve is the one that its reader knows, and has the reader's balances.
   *
   * @throws IllegalArgumentException if keys, mine or openings are something else
   */
  public static VerifiedReserve verify(KeptReserve kept) throws GeneralSecurityException {
    List<SignedText.Key> keys = kept.keys() == null ? null : SignedText.readKeys(kept.keys());
    Opening mine = kept.mine() == null ? null : Opening.read(kept.mine());
    List<Opening> all = kept.openings() == null ? null : Arrays.stream(kept.openings().split("\n"))
        .filter(line -> !line.isEmpty()).map(Opening::read).toList();
    Reserve reserve;
    try {
      reserve = Reserve.read(StrictMembers.read(kept.text()));
    } catch (IllegalArgumentException malformed) {
      return new VerifiedReserve(null, List.of("malformed"));
    }
    String hash = Keys.sha256Hex(kept.text().getBytes(UTF_8));
    Set<String> found = new HashSet<>();
    if (kept.hash() != null && !kept.hash().equals(hash)) found.add("other_hash");
    if (kept.signature() != null && keys != null) {
      if (!isSigned(reserve, hash, kept.signature(), keys)) found.add("wrong_signature");
    }
    if (kept.previous() != null) {
      String before = Keys.sha256Hex(kept.previous().getBytes(UTF_8));
      if (!before.equals(reserve.previous())) found.add("other_previous");
    }
    List<Opening> opened = all != null ? all : mine != null ? List.of(mine) : List.of();
    judgeOpenings(reserve, opened, found);
    if (all != null) {
      if (mine != null && !reserve.commitments().contains(mine.commitment())) found.add("not_committed");
      judgeTotals(reserve, all, found);
    }
    if (reserve.pools().stream().anyMatch(pool -> pool.obligations().compareTo(pool.fine()) > 0)) {
      found.add("gold_not_covered");
    }
    return new VerifiedReserve(reserve, FAULTS.stream().filter(found::contains).toList());
  }

  private static boolean isSigned(
      Reserve reserve, String hash, String signature, List<SignedText.Key> keys)
      throws GeneralSecurityException {
    String text =
        Json.canonical(Map.of("day", reserve.day(), "hash", hash, "signer", "operator"));
    try {
      byte[] payload = SignedText.open(signature, "sabika-reserve", keys).payload();
      return Arrays.equals(payload, text.getBytes(UTF_8));
    } catch (SignedText.RefusedException refused) {
      return false;
    }
  }

  private static void judgeOpenings(Reserve reserve, List<Opening> opened, Set<String> found) {
    if (opened.stream().anyMatch(opening -> !opening.day().equals(reserve.day()))) {
      found.add("other_day");
    } else if (!reserve.commitments().containsAll(commitmentsOf(opened))) {
      found.add("not_committed");
    }
  }

  private static void judgeTotals(Reserve reserve, List<Opening> all, Set<String> found) {
    if (!commitmentsOf(all).containsAll(reserve.commitments())) found.add("openings_missing");
    BigDecimal cash = all.stream().map(Opening::cash).reduce(BigDecimal.ZERO, BigDecimal::add);
    if (cash.compareTo(reserve.obligations()) != 0) found.add("cash_differs");
    Map<String, BigInteger> rest = new HashMap<>();
    for (Opening one : all) rest.merge(one.pool(), one.gold(), BigInteger::add);
    for (Reserve.Pool pool : reserve.pools()) {
      rest.merge(pool.id(), pool.obligations().negate(), BigInteger::add);
    }
    if (rest.values().stream().anyMatch(gold -> gold.signum() != 0)) found.add("gold_differs");
  }

  private static Set<String> commitmentsOf(List<Opening> opened) {
    return opened.stream().map(Opening::commitment).collect(Collectors.toSet());
  }
}
