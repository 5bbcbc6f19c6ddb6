package sabika.client;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.security.GeneralSecurityException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Verifies counts of a pool's bars that an inspector signed, without a network (Decision D106). */
public final class Counts {
  private Counts() {}

  /**
   * Verifies that an inspector signed a count.
   *
   * @param jws the signature
   * @param keys the JSON of /.well-known/sabika-attestation-keys.json
   * @param count the text of the count that it has to be of; null for any
   * @throws IllegalArgumentException if keys are something else
   */
  public static VerifiedCount verify(String jws, String keys, String count)
      throws GeneralSecurityException {
    List<SignedText.Key> published = SignedText.readAttestationKeys(keys);
    SignedText signed;
    try {
      signed = SignedText.open(jws, "sabika-count", published);
    } catch (SignedText.RefusedException refused) {
      return new VerifiedCount(null, null, List.of(refused.getMessage()));
    }
    SignedText.Key key = signed.key();
    String text = new String(signed.payload(), UTF_8);
    PoolCount read;
    try {
      if (!Arrays.equals(text.getBytes(UTF_8), signed.payload())) {
        throw new IllegalArgumentException("not UTF-8");
      }
      read = PoolCount.read(text);
    } catch (IllegalArgumentException malformed) {
      return new VerifiedCount(null, key.holder(), List.of("malformed"));
    }
    List<String> faults = new ArrayList<>();
    if (!key.role().equals("inspector")) faults.add("other_role");
    Instant until = key.validUntil();
    if (until != null && !until.isAfter(read.countedAt())) faults.add("key_ended");
    if (count != null && !count.equals(text)) faults.add("other_count");
    return new VerifiedCount(read, key.holder(), List.copyOf(faults));
  }
}
