import type { Database } from "@sabika/database";
import { type PublishedHead, verifyAudit, withAuditRecord } from "@sabika/service/audit";

/** A verification of the whole audit log, and its result. */
export interface KeptVerification extends Awaited<ReturnType<typeof verifyAudit>> {
  /** The name of the person who asked for it. */
  readonly who: string;
  /** Epoch milliseconds. */
  readonly finishedAtMs: number;
  readonly durationMs: number;
  /** The earlier head that the log was compared with; undefined for none. */
  readonly published: PublishedHead | undefined;
}

/** Verifies the audit log, and keeps the last result while the console runs. */
export interface AuditVerifications {
  /** The last one that ended; undefined for none since the console started. */
  last(): KeptVerification | undefined;
  /** Verifies the log after the verifications that others asked for: each reads all of it. */
  verify(who: string, published: PublishedHead | undefined): Promise<void>;
}

/**
 * Makes the verifier of an audit log.
 *
 * @param now epoch milliseconds
 */
export function createAuditVerifications(
  database: Pick<Database, "sql">,
  now: () => number,
): AuditVerifications {
  let last: KeptVerification | undefined;
  let running = Promise.resolve();
  return {
    last: () => last,
    verify(who, published) {
      const verification = running.then(async () => {
        const startMs = performance.now();
        const heads = published === undefined ? [] : [published];
        const found = await withAuditRecord(
          database.sql,
          (record) => verifyAudit(record, heads),
        );
        const durationMs = performance.now() - startMs;
        last = { ...found, who, published, durationMs, finishedAtMs: now() };
      });
      running = verification.catch(() => {});
      return verification;
    },
  };
}
