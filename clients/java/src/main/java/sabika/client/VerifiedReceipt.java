package sabika.client;

import java.util.List;

/**
 * What holds of a receipt and what does not, each by its name in docs/vectors/receipt.json.
 *
 * @param receipt null unless a published key signed it
 * @param holds of signature, value, parts, share, order, request and bars: what was checked and holds
 * @param faults what does not hold; empty when all is well
 */
public record VerifiedReceipt(Receipt receipt, List<String> holds, List<String> faults) {
  /** Returns whether all that was checked holds. */
  public boolean ok() {
    return faults.isEmpty();
  }
}
