package sabika.client;

/** The result of a signature test, which has no other effect. */
public record Probe(boolean verified, String keyId, String canonicalSha256) {
  static Probe read(Members members) {
    return new Probe(
        members.bool("verified"), members.text("key_id"), members.text("canonical_sha256"));
  }
}
