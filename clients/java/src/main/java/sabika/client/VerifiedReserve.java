package sabika.client;

import java.util.List;

/**
 * What does not hold of a reserve, by the names in docs/vectors/reserve.json.
 *
 * @param reserve null if it is malformed
 * @param attestedBy whose key signed the attestation; null unless a published key did
 * @param faults what does not hold; empty when all is well
 */
public record VerifiedReserve(Reserve reserve, String attestedBy, List<String> faults) {
  /** Returns whether all that was checked holds. */
  public boolean ok() {
    return faults.isEmpty();
  }
}
