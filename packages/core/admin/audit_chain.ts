import { encodeHex } from "@sabika/protocol";
import { asc, gt } from "drizzle-orm";
import type { Sql } from "../store/database.ts";
import { drizzle } from "../store/drizzle.ts";
import { auditHead, auditLog } from "../store/schema/mod.ts";
import type { Transaction } from "../store/sql.ts";

/** How far the audit log goes: its last entry's number and hash. Whoever has it can check the past. */
export interface AuditHead {
  auditId: bigint;
  /** Lower-case hex of 32 bytes. */
  hash: string;
}

/** A head that was published before; one of which only the hash is known has no number. */
export interface PublishedHead {
  auditId?: bigint;
  hash: string;
}

/**
 * Something that is wrong with the audit log: an entry that is not what it was (`changed`), that is
 * not there (`missing`, up to `untilId`), that does not stand where it was written (`reordered`), or
 * a published head that the log does not lead to (`rewritten`).
 */
export interface AuditFinding {
  finding: "changed" | "missing" | "reordered" | "rewritten";
  auditId: bigint | null;
  untilId?: bigint;
  message: string;
}

/** What `verifyAudit` counted and found. */
export interface AuditVerification {
  entries: number;
  head: AuditHead;
  findings: AuditFinding[];
}

type Entry = typeof auditLog.$inferSelect;

/** The hash that the first entry follows. */
const GENESIS = "00".repeat(32);
const BATCH = 1_000;

/** The last entry's number and hash, as the database says. */
export async function readAuditHead(sql: Sql | Transaction): Promise<AuditHead> {
  const [row] = await drizzle(sql).select().from(auditHead);
  return row === undefined
    ? { auditId: 0n, hash: "" }
    : { auditId: row.auditId, hash: encodeHex(row.hash) };
}

/**
 * Recounts the chain of the audit log (Decision D71) in one snapshot, without a function of the
 * database: every entry's hash, what it follows, and that it leads to the head and through every
 * head that was published. Only a published head shows a past that was rewritten whole.
 */
export function verifyAudit(
  sql: Sql,
  published: readonly PublishedHead[] = [],
): Promise<AuditVerification> {
  return sql.begin("isolation level repeatable read read only", async (tx) => {
    const entries: { auditId: bigint; previous: string; hash: string; isWhole: boolean }[] = [];
    let last: bigint | undefined;
    while (true) {
      const rows = await drizzle(tx).select().from(auditLog)
        .where(last === undefined ? undefined : gt(auditLog.auditId, last))
        .orderBy(asc(auditLog.auditId)).limit(BATCH);
      for (const row of rows) {
        const hash = encodeHex(row.hash);
        entries.push({
          auditId: row.auditId,
          previous: encodeHex(row.previousHash),
          hash,
          isWhole: await hashEntry(row) === hash,
        });
      }
      last = rows.at(-1)?.auditId;
      if (rows.length < BATCH) break;
    }
    const byHash = new Map(entries.map((entry) => [entry.hash, entry.auditId]));
    const findings: AuditFinding[] = [];
    let before: AuditHead = { auditId: 0n, hash: GENESIS };
    for (const { auditId, previous, hash, isWhole } of entries) {
      const follows = previous === before.hash;
      if (!follows) findings.push(brokenLink(before, auditId, byHash.get(previous)));
      // One that stands elsewhere than it was written has another number, and so another hash.
      if (!isWhole && (follows || !byHash.has(previous))) {
        findings.push({
          finding: "changed",
          auditId,
          message: `entry ${auditId} is not what it was when it was written`,
        });
      }
      before = { auditId, hash };
    }
    const head = await readAuditHead(tx);
    findings.push(...checkEnd(before, head), ...checkPublished(byHash, published));
    return { entries: entries.length, head, findings };
  });
}

/** What it means that an entry does not follow the one before it. */
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
async function hashEntry(entry: Entry): Promise<string> {
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
