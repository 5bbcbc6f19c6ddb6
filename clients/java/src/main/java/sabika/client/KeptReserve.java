package sabika.client;

/**
 * A reserve with what its reader has kept. What is null is not checked, and a signature only with its keys.
 *
 * @param reserve the reserve; all of it but its text may be null
 * @param keys the JSON of /.well-known/sabika-receipt-keys.json
 * @param attestationKeys the JSON of /.well-known/sabika-attestation-keys.json
 * @param previous the text of the reserve of the day before
 * @param mine the JSON of /v1/reserves/{day}/mine
 * @param openings the file of an auditor: one such JSON a line
 */
public record KeptReserve(
    PublishedReserve reserve,
    String keys,
    String attestationKeys,
    String previous,
    String mine,
    String openings) {}
