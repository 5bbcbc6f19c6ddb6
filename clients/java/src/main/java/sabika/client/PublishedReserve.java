package sabika.client;

/**
 * A reserve as it is published.
 *
 * @param text the canonical JSON, whose SHA-256 is the hash
 * @param signature the operator's; null until it has signed
 * @param attested whether an auditor that has seen all openings has signed it
 * @param attestation the auditor's signature, or null
 */
public record PublishedReserve(
    String text, String hash, String signature, boolean attested, String attestation) {
  /**
   * Reads the JSON of /v1/reserves/{day}, also one that was kept.
   *
   * @throws IllegalArgumentException if it is something else
   */
  public static PublishedReserve read(String json) {
    StrictMembers members = StrictMembers.read(json);
    if (members.json().get("attested") instanceof Boolean attested) {
      return new PublishedReserve(
          Json.canonical(members.inner("reserve").json()),
          members.hash("hash"),
          members.textOrNull("signature"),
          attested,
          members.textOrNull("attestation"));
    }
    throw new IllegalArgumentException("attested is not a boolean");
  }
}
