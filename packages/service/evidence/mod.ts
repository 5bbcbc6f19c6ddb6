/** Evidence: the signed requests behind what partners did. */
export {
  closeEvidenceDays,
  dropEvidence,
  type EvidenceOfDay,
  hashDay,
} from "./close_evidence_days.ts";
export { makeEvidencePartitions } from "./evidence_partitions.ts";
export { readEvidence } from "./read_evidence.ts";
export { readSignedFacts } from "./signed_facts.ts";
