package sabika.client;

import java.util.List;

/**
 * What a signature under a count says, and what of it does not hold.
 *
 * @param count null if it cannot be read
 * @param holder whose key signed it; null unless a published key did
 * @param faults what does not hold, by the names in docs/vectors/count.json; empty when all is well
 */
public record VerifiedCount(PoolCount count, String holder, List<String> faults) {
  /** Returns whether all that was checked holds. */
  public boolean ok() {
    return faults.isEmpty();
  }
}
