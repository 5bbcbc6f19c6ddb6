package sabika.client;

/** The answer to a signature that was verified and had no other effect. */
public record Probe(boolean verified, String keyId, String canonicalSha256) {
  static Probe read(Members of) {
    return new Probe(of.bool("verified"), of.text("key_id"), of.text("canonical_sha256"));
  }
}
