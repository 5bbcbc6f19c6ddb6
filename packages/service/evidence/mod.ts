/** Evidence: the signed requests behind what partners did. */
export { makeEvidencePartitions } from "./evidence_partitions.ts";
export { type KeptFact, readSignedFacts } from "./signed_facts.ts";
