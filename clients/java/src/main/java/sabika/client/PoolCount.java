package sabika.client;

import java.time.Instant;
import java.util.List;
import java.util.TreeMap;

/**
 * What a count of a pool found (Decision D104), by the serials of the bars.
 *
 * @param place null for all places
 * @param version 0 before the first bar
 */
public record PoolCount(
    Instant countedAt,
    List<String> found,
    List<String> missing,
    List<String> different,
    String place,
    String pool,
    long version) {
  private static final List<String> NAMES =
      List.of("counted_at", "different", "found", "missing", "place", "pool", "version");
  /** The length of a time with milliseconds, as it is written. */
  private static final int TIME_LETTERS = 24;

  /** Reads a count, which must be canonical. */
  static PoolCount read(String text) {
    StrictMembers members = StrictMembers.read(text);
    PoolCount count = new PoolCount(
        members.time("counted_at"),
        members.texts("found"),
        members.texts("missing"),
        members.texts("different"),
        members.textOrNull("place"),
        members.text("pool"),
        members.countingOrZero("version"));
    TreeMap<String, Object> known = new TreeMap<>();
    NAMES.forEach(name -> known.put(name, members.json().get(name)));
    boolean isCanonical = Json.canonical(known).equals(text)
        && members.text("counted_at").length() == TIME_LETTERS;
    if (isCanonical) return count;
    throw new IllegalArgumentException("not canonical");
  }
}
