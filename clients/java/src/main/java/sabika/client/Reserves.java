package sabika.client;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** Verifies reserves, which say what is owed and what is there, without a network (Decision D105). */
public final class Reserves {
  private static final List<String> FAULTS = List.of(
      "other_hash", "wrong_signature", "attestation_malformed", "attestation_wrong_algorithm",
      "attestation_unknown_key", "attestation_altered", "attestation_other_role",
      "attestation_key_ended", "attestation_other_reserve", "other_previous", "other_day",
      "not_committed", "opening_negative", "openings_missing", "cash_differs", "gold_differs", "gold_not_covered");

  private Reserves() {}

  /**
   * Verifies that a reserve is the one that its reader knows, and has the reader's balances.
   *
   * @throws IllegalArgumentException if keys, mine or openings are something else
   */
  public static VerifiedReserve verify(KeptReserve kept) throws GeneralSecurityException {
    List<SignedText.Key> keys = kept.keys() == null ? null : SignedText.readKeys(kept.keys());
    List<SignedText.Key> auditors = kept.attestationKeys() == null
        ? null : SignedText.readAttestationKeys(kept.attestationKeys());
    Opening mine = kept.mine() == null ? null : Opening.read(kept.mine());
    List<Opening> all = kept.openings() == null ? null : Arrays.stream(kept.openings().split("\n"))
        .filter(line -> !line.isEmpty()).map(Opening::read).toList();
    PublishedReserve published = kept.reserve();
    Reserve reserve;
    try {
      reserve = Reserve.read(StrictMembers.read(published.text()));
    } catch (IllegalArgumentException malformed) {
      return new VerifiedReserve(null, null, List.of("malformed"));
    }
    String hash = Keys.sha256Hex(published.text().getBytes(UTF_8));
    Set<String> found = new HashSet<>();
    if (published.hash() != null && !published.hash().equals(hash)) found.add("other_hash");
    if (published.signature() != null && keys != null) {
      if (!isSigned(reserve, hash, published.signature(), keys)) found.add("wrong_signature");
    }
    String attestedBy = published.attestation() == null || auditors == null
        ? null : judgeAttestation(reserve.day(), hash, published.attestation(), auditors, found);
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
    return new VerifiedReserve(reserve, attestedBy, FAULTS.stream().filter(found::contains).toList());
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

  /** Finds what does not hold of an attestation (Decision D107); returns whose key signed it. */
  private static String judgeAttestation(
      String day, String hash, String jws, List<SignedText.Key> keys, Set<String> found)
      throws GeneralSecurityException {
    SignedText signed;
    try {
      signed = SignedText.open(jws, "sabika-attestation", keys);
    } catch (SignedText.RefusedException refused) {
      found.add("attestation_" + refused.getMessage());
      return null;
    }
    if (!signed.key().role().equals("auditor")) found.add("attestation_other_role");
    Instant until = signed.key().validUntil();
    if (until != null && !until.isAfter(endOfDay(day))) found.add("attestation_key_ended");
    byte[] attested = Json.canonical(Map.of("day", day, "hash", hash)).getBytes(UTF_8);
    if (!Arrays.equals(signed.payload(), attested)) {
      boolean other = isAttestation(signed.payload());
      found.add(other ? "attestation_other_reserve" : "attestation_malformed");
    }
    return signed.key().holder();
  }

  /** Returns when a day ends in Riyadh, UTC+3. */
  private static Instant endOfDay(String day) {
    try {
      return Instant.parse(day + "T21:00:00Z");
    } catch (DateTimeException none) {
      return Instant.MIN;
    }
  }

  private static boolean isAttestation(byte[] payload) {
    try {
      StrictMembers members = StrictMembers.read(payload);
      String text = Json.canonical(Map.of("day", members.text("day"), "hash", members.hash("hash")));
      return Arrays.equals(payload, text.getBytes(UTF_8));
    } catch (IllegalArgumentException malformed) {
      return false;
    }
  }

  private static void judgeOpenings(Reserve reserve, List<Opening> opened, Set<String> found) {
    if (opened.stream().anyMatch(opening -> !opening.day().equals(reserve.day()))) {
      found.add("other_day");
    } else if (!reserve.commitments().containsAll(commitmentsOf(opened))) {
      found.add("not_committed");
    }
    if (opened.stream().anyMatch(one -> one.cash().signum() < 0)) found.add("opening_negative");
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
