package sabika.client;

/**
 * A reserve with what its reader has kept. What is null is not checked, and a signature only with keys.
 *
 * @param text the text of a {@link PublishedReserve}, as are hash and signature
 * @param keys the JSON of /.well-known/sabika-receipt-keys.json
 * @param previous the text of the reserve of the day before
 * @param mine the JSON of /v1/reserves/{day}/mine
 * @param openings the file of an auditor: one such JSON a line
 */
public record KeptReserve(
    String text,
    String hash,
    String signature,
    String keys,
    String previous,
    String mine,
    String openings) {}
