package sabika.client;

import java.math.BigInteger;
import java.time.Instant;

/**
 * The pool of bars that the partner's gold is a share of.
 *
 * @param fineMicrograms the fine weight of its bars
 * @param bars how many it has
 * @param lastCount null if the whole pool was never counted
 */
public record Vault(
    String pool,
    long version,
    String hash,
    Instant madeAt,
    BigInteger fineMicrograms,
    int bars,
    LastCount lastCount) {
  /**
   * A count of all bars; it agrees if they were there as recorded, and no others.
   *
   * @param sha256 that of the count's canonical JSON; null where several pools were counted together
   * @param inspected null while no inspector from outside has signed it
   */
  public record LastCount(
      Instant countedAt, long ageSeconds, boolean agrees, String sha256, Inspection inspected) {
    static LastCount read(Members count) {
      return new LastCount(
          Instant.parse(count.text("counted_at")),
          count.number("age_seconds").longValueExact(),
          count.bool("agrees"),
          count.textOrNull("sha256"),
          count.has("inspected") ? Inspection.read(count.inner("inspected")) : null);
    }
  }

  /** Whose key signed a count, the key's id, and the signature, for {@link Counts#verify}. */
  public record Inspection(String by, String keyId, String signature) {
    static Inspection read(Members inspection) {
      return new Inspection(
          inspection.text("by"), inspection.text("key"), inspection.text("signature"));
    }
  }

  static Vault read(Members vault) {
    return new Vault(
        vault.text("pool"),
        vault.number("version").longValueExact(),
        vault.text("hash"),
        Instant.parse(vault.text("made_at")),
        new BigInteger(vault.text("fine_ug")),
        vault.number("bars").intValueExact(),
        vault.has("last_count") ? LastCount.read(vault.inner("last_count")) : null);
  }
}
