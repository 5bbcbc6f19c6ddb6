package sabika.client;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Verifies versions of a pool of bars, which follow each other, without a network (Decision D102). */
public final class Versions {
  private static final List<String> FAULTS = List.of(
      "other_pool", "number_missing", "other_previous", "other_hash", "other_change", "less_fine");

  private Versions() {}

  /**
   * Verifies that versions follow each other, and change what they say by no less fine gold.
   *
   * @param texts the versions as you have kept them, byte for byte, oldest first; the first may be any
   * @param hashes those that you have kept by number, such as those of receipts
   */
  public static VerifiedVersions verify(List<byte[]> texts, Map<Long, String> hashes) {
    List<PoolVersion> versions = new ArrayList<>();
    for (byte[] text : texts) {
      try {
        versions.add(PoolVersion.read(text));
      } catch (IllegalArgumentException malformed) {
        return new VerifiedVersions(List.of("malformed"), versions.size());
      }
    }
    Set<String> found = new HashSet<>();
    int first = -1;
    for (int at = 0; at < texts.size(); at++) {
      PoolVersion version = versions.get(at);
      String hash = Keys.sha256Hex(texts.get(at));
      if (!hashes.getOrDefault(version.number(), hash).equals(hash)) found.add("other_hash");
      if (at > 0 && !Keys.sha256Hex(texts.get(at - 1)).equals(version.previous())) {
        found.add("other_previous");
      }
      found.addAll(version.judgeAfter(at > 0 ? versions.get(at - 1) : null));
      if (first < 0 && !found.isEmpty()) first = at;
    }
    return new VerifiedVersions(FAULTS.stream().filter(found::contains).toList(), first);
  }
}
