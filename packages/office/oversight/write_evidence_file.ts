import {
  type EvidenceFileHead,
  type ExportedFact,
  formatHalalas,
  formatTime,
} from "@sabika/protocol";

/**
 * Writes an export of evidence (Decision D86): lines of JSON, the head first, then a fact each, and at the end
 * their number.
 */
export async function* writeEvidenceFile(
  head: EvidenceFileHead,
  facts: AsyncIterable<ExportedFact>,
): AsyncIterable<string> {
  const { environment, fromMs, untilMs, keys } = head;
  yield JSON.stringify({
    sabika_evidence: 1,
    environment,
    from: formatTime(fromMs),
    until: formatTime(untilMs),
    keys: Object.fromEntries(
      Object.entries(keys).map(([clientId, all]) => [
        clientId,
        all.map(({ keyId, publicJwk, validFromMs, validUntilMs }) => ({
          key_id: keyId,
          public_jwk: publicJwk,
          valid_from: formatTime(validFromMs),
          valid_until: validUntilMs === null ? null : formatTime(validUntilMs),
        })),
      ]),
    ),
  });
  let count = 0;
  for await (const { clientId, fact, evidence, isDemanded } of facts) {
    count++;
    yield JSON.stringify({
      client_id: clientId,
      kind: fact.kind,
      id: fact.id,
      received_at: formatTime(fact.receivedAtMs),
      ...(fact.kind === "order" && { quote_id: fact.quoteId }),
      ...(fact.kind === "withdrawal" && { amount_sar: formatHalalas(fact.amountHalalas) }),
      ...(fact.kind !== "cancellation" && { client_reference: fact.clientReference }),
      must_have_evidence: isDemanded,
      evidence: evidence && {
        key_id: evidence.keyId,
        timestamp: evidence.timestampSeconds,
        nonce: evidence.nonce,
        method: "POST",
        url: evidence.url,
        body: evidence.body,
        signature: evidence.signature,
      },
    });
  }
  yield JSON.stringify({ end: count });
}
