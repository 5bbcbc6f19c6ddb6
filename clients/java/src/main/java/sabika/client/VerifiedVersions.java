package sabika.client;

import java.util.List;

/**
 * What does not hold of versions, by the names in docs/vectors/versions.json.
 *
 * @param faults what does not hold; empty when all is well
 * @param at the index of the first text that does not hold; -1 if all do
 */
public record VerifiedVersions(List<String> faults, int at) {
  /** Returns whether all holds. */
  public boolean ok() {
    return faults.isEmpty();
  }
}
