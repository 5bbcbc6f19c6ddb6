import { encodeHex } from "@sabika/protocol";
import type { AuditHead, AuditRecord, RecordedEntry } from "./audit_record.ts";
import { createSignatureJudge } from "./audit_signatures.ts";
import { createReplay } from "./replay_facts.ts";

/** A head that was published earlier; `auditId` is undefined when only its hash is known. */
export interface PublishedHead {
  auditId?: bigint;
  hash: string;
}

/**
 * Something that is wrong with the audit log: an entry was `changed`, is `missing` (up to `untilId`) or
 * was `reordered`; the log does not lead to a published head (`rewritten`); or the person whom the entry
 * names did not sign this act, or nobody approved it (`forged`); or a row of the register `differs` from what
 * the entries left. `auditId` is null when it is not known.
 */
export interface AuditFinding {
  finding: "changed" | "missing" | "reordered" | "rewritten" | "forged" | "differs";
  auditId: bigint | null;
  untilId?: bigint;
  message: string;
}

/** What `verifyAudit` counted and found. */
export interface AuditVerification {
  entries: number;
  /** How many entries people signed, and how many were made by breaking the glass. */
  signed: number;
  breakGlasses: number;
  head: AuditHead;
  findings: AuditFinding[];
}

/** The hash that the first entry follows. */
const GENESIS = "00".repeat(32);

/**
 * Recounts the chain of the audit log (Decision D71) without a function of the database: every entry's hash,
 * what it follows, that it leads to the head and through every head that was published, and every signature
 * (Decision D79); then it replays the log against the register (Decision D92). Only a published head reveals that the whole past was rewritten.
 *
 * @param published earlier heads that the log must lead through; if empty, only the log is checked
 */
export async function verifyAudit(
  record: AuditRecord,
  published: readonly PublishedHead[] = [],
): Promise<AuditVerification> {
  const entries: { auditId: bigint; previous: string; hash: string; isWhole: boolean }[] = [];
  const forged: AuditFinding[] = [];
  const signatures = createSignatureJudge(record.environment, record.keys);
  const replay = createReplay();
  let [signed, breakGlasses] = [0, 0];
  for await (const batch of record.entries) {
    for (const row of batch) {
      const { auditId, detail } = row;
      const hash = encodeHex(row.hash);
      const isWhole = await hashEntry(row) === hash;
      entries.push({ auditId, previous: encodeHex(row.previousHash), hash, isWhole });
      // A changed entry is reported as changed only.
      const wrong = isWhole ? await signatures.judge(row) : undefined;
      if (wrong !== undefined) {
        forged.push({ finding: "forged", auditId, message: `entry ${auditId}: ${wrong}` });
      }
      const unlike = await replay.follow(row);
      if (isWhole && unlike !== undefined) {
        forged.push({ finding: "changed", auditId, message: `entry ${auditId}: ${unlike}` });
      }
      if (/"act":/.test(detail)) signed += 1;
      if (/"break_glass":/.test(detail)) breakGlasses += 1;
    }
  }
  for (const auditId of signatures.undecided()) {
    const message = `entry ${auditId}: nobody approved it`;
    forged.push({ finding: "forged", auditId, message });
  }
  const byHash = new Map(entries.map((entry) => [entry.hash, entry.auditId]));
  const findings: AuditFinding[] = [];
  let before: AuditHead = { auditId: 0n, hash: GENESIS };
  for (const { auditId, previous, hash, isWhole } of entries) {
    const follows = previous === before.hash;
    if (!follows) findings.push(brokenLink(before, auditId, byHash.get(previous)));
    // A moved entry has another number, and so another hash.
    if (!isWhole && (follows || !byHash.has(previous))) {
      findings.push({
        finding: "changed",
        auditId,
        message: `entry ${auditId} is not what it was when it was written`,
      });
    }
    before = { auditId, hash };
  }
  const { head } = record;
  findings.push(...checkEnd(before, head), ...checkPublished(byHash, published), ...forged);
  if (record.register !== undefined) {
    const found = await replay.compare(record.register);
    findings.push(...found.map((difference) => ({ finding: "differs" as const, ...difference })));
  }
  return { entries: entries.length, signed, breakGlasses, head, findings };
}

/** Explains why an entry does not follow the one before it. */
function brokenLink(
  before: AuditHead,
  auditId: bigint,
  predecessor: bigint | undefined,
): AuditFinding {
  if (predecessor !== undefined) {
    const message = `entry ${auditId} was written after entry ${predecessor}`;
    return { finding: "reordered", auditId, message };
  }
  if (auditId > before.auditId + 1n) {
    const [from, untilId] = [before.auditId + 1n, auditId - 1n];
    const which = from === untilId ? `entry ${from} is` : `entries ${from} to ${untilId} are`;
    return { finding: "missing", auditId: from, untilId, message: `${which} missing` };
  }
  return before.auditId === 0n
    ? { finding: "missing", auditId: null, message: `entry ${auditId} is not the first one` }
    : {
      finding: "changed",
      auditId: before.auditId,
      message: `entry ${before.auditId} is not the one that entry ${auditId} followed`,
    };
}

function checkEnd(last: AuditHead, head: AuditHead): AuditFinding[] {
  if (last.auditId === head.auditId && last.hash === head.hash) return [];
  if (head.auditId > last.auditId) {
    const [auditId, untilId] = [last.auditId + 1n, head.auditId];
    const message = `entries ${auditId} to ${untilId} are missing at the end`;
    return [{ finding: "missing", auditId, untilId, message }];
  }
  const message = `the log ends with entry ${last.auditId}, and its head says ${head.auditId}`;
  return [{ finding: "changed", auditId: last.auditId, message }];
}

function checkPublished(
  byHash: ReadonlyMap<string, bigint>,
  published: readonly PublishedHead[],
): AuditFinding[] {
  return published
    .filter(({ auditId, hash }) => {
      if (hash === GENESIS) return false;
      const found = byHash.get(hash);
      return found === undefined || (auditId !== undefined && auditId !== found);
    })
    .map(({ auditId, hash }) => ({
      finding: "rewritten",
      auditId: auditId ?? null,
      message: `the head ${hash} was published${
        auditId === undefined ? "" : ` for entry ${auditId}`
      }, and the log does not lead to it`,
    }));
}

/**
 * SHA-256 of an entry's number, epoch milliseconds, actor, action, partner's number or nothing,
 * detail and the previous hash in hex; each as its length in bytes, a colon, the field and a comma.
 */
async function hashEntry(entry: RecordedEntry): Promise<string> {
  const fields = [
    String(entry.auditId),
    String(entry.at),
    entry.actor,
    entry.action,
    entry.partnerId === null ? "" : String(entry.partnerId),
    entry.detail,
    encodeHex(entry.previousHash),
  ];
  const utf8 = new TextEncoder();
  const text = fields.map((field) => `${utf8.encode(field).length}:${field},`).join("");
  const digest = await crypto.subtle.digest("SHA-256", utf8.encode(text));
  return encodeHex(new Uint8Array(digest));
}
