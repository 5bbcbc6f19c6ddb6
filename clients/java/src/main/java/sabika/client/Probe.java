package sabika.client;

/** The answer to a signature that was verified and had no other effect. */
public record Probe(boolean verified, String keyId, String canonicalSha256) {
  static Probe read(Members members) {
    return new Probe(
        members.bool("verified"), members.text("key_id"), members.text("canonical_sha256"));
  }
}
