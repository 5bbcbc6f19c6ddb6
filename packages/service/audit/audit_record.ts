import { decodeHex, encodeHex, type Environment, type PublicJwk } from "@sabika/protocol";
import { asc, eq, gt } from "drizzle-orm";
import { drizzle, type Sql, type Transaction } from "@sabika/database";
import type { SignedAct } from "@sabika/identity/signatures";
import { deployment } from "../schema/tables.ts";
import { auditFacts, auditHead, auditLog } from "./audit_log_tables.ts";
import { acts } from "./people_tables.ts";
import { type FactRow, readFacts } from "./replay_facts.ts";
import { listOperators } from "./read_operators.ts";
import { signedActOf } from "./warrant.ts";

/** The number and hash of the last entry. Whoever keeps them can check everything before. */
export interface AuditHead {
  auditId: bigint;
  /** Lower-case hex of 32 bytes. */
  hash: string;
}

/** A person's public key as it is published. */
export interface PublishedKey {
  operator: string;
  keyId: string;
  publicJwk: PublicJwk;
  validFromMs: number;
  validUntilMs: number | null;
  /** The host that a passkey is bound to; null of another key. */
  rpId: string | null;
}

/** An entry as stored, with what was signed. */
export interface RecordedEntry extends Omit<typeof auditLog.$inferSelect, "actId"> {
  act: SignedAct | null;
  /** The rows that it left, JSON text; null for none. */
  facts: string | null;
}

/** Everything by which the audit log is verified, from the database or a file. */
export interface AuditRecord {
  environment: Environment | null;
  head: AuditHead;
  keys: readonly PublishedKey[];
  /** In order, in batches. */
  entries: AsyncIterable<readonly RecordedEntry[]>;
  /** The register's rows; undefined where only the log is known. */
  register?: AsyncIterable<FactRow>;
}

const BATCH = 1_000;

/** Reads the number and hash of the last entry, and how often the glass was broken. */
export async function readAuditHead(
  sql: Sql | Transaction,
): Promise<AuditHead & { breakGlasses: number }> {
  const [row] = await drizzle(sql).select().from(auditHead);
  const { auditId, hash, breakGlasses } = row!;
  return { auditId, hash: encodeHex(hash), breakGlasses };
}

/** Runs `body` with the record read in one snapshot, which lasts until `body` has ended. */
export function withAuditRecord<T>(
  sql: Sql,
  body: (record: AuditRecord) => Promise<T>,
): Promise<T> {
  return sql.begin("isolation level repeatable read read only", async (tx) => {
    const [row] = await drizzle(tx).select().from(deployment);
    const { auditId, hash } = await readAuditHead(tx);
    const people = await listOperators(tx);
    return await body({
      environment: row?.environment ?? null,
      head: { auditId, hash },
      keys: people.flatMap(({ name, keys }) =>
        keys.map(({ credentialId: _, ...key }) => ({ operator: name, ...key }))
      ),
      entries: readEntries(tx),
      register: readFacts(tx),
    });
  }) as Promise<T>;
}

async function* readEntries(tx: Transaction): AsyncIterable<readonly RecordedEntry[]> {
  let last: bigint | undefined;
  while (true) {
    const rows = await drizzle(tx).select().from(auditLog)
      .leftJoin(acts, eq(acts.actId, auditLog.actId))
      .leftJoin(auditFacts, eq(auditFacts.auditId, auditLog.auditId))
      .where(last === undefined ? undefined : gt(auditLog.auditId, last))
      .orderBy(asc(auditLog.auditId)).limit(BATCH);
    yield rows.map(({ audit_log: { actId: _, ...entry }, acts: act, audit_facts: left }) => ({
      ...entry,
      facts: left?.facts ?? null,
      act: act && signedActOf(act),
    }));
    if (rows.length < BATCH) return;
    last = rows.at(-1)!.audit_log.auditId;
  }
}

/** The record as lines of JSON: environment, head and keys first, then an entry each. */
export async function* writeAuditRecord(record: AuditRecord): AsyncIterable<string> {
  const { environment, keys, head } = record;
  yield JSON.stringify({
    environment,
    head: { sequence: Number(head.auditId), hash: head.hash },
    keys,
  });
  for await (const batch of record.entries) {
    for (const { auditId, previousHash, hash, ...entry } of batch) {
      yield JSON.stringify({
        sequence: Number(auditId),
        ...entry,
        previousHash: encodeHex(previousHash),
        hash: encodeHex(hash),
      });
    }
  }
}

/**
 * Reads a record that was written as text.
 *
 * @throws {SyntaxError} when it is no such record
 */
export function readAuditRecord(text: string): AuditRecord {
  const [first, ...lines] = text.split("\n").filter((line) => line !== "");
  const { environment, head, keys } = JSON.parse(first ?? "");
  const entries = lines.map((line): RecordedEntry => {
    const { sequence, previousHash, hash, ...entry } = JSON.parse(line);
    return {
      // Records from before replays have no `facts`.
      facts: null,
      ...entry,
      auditId: BigInt(sequence),
      previousHash: decodeHex(String(previousHash)),
      hash: decodeHex(String(hash)),
    };
  });
  return {
    environment,
    head: { auditId: BigInt(head.sequence), hash: String(head.hash) },
    // Records from before passkeys have no `rpId`.
    keys: (keys as PublishedKey[]).map((key) => ({ ...key, rpId: key.rpId ?? null })),
    entries: (async function* () {
      yield await Promise.resolve(entries);
    })(),
  };
}
