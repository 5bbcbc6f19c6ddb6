import { encodeUtf8, sha256Hex } from "@sabika/protocol";
import type { Transaction } from "@sabika/database";
import type { auditLog } from "./audit_log_tables.ts";

/** A row of the register: its table, what names it there, and its columns as texts. */
export interface FactRow {
  readonly fact: string;
  readonly key: string;
  readonly row: Readonly<Record<string, string | null>>;
}

/** A row that is not as the entries left it. */
interface Difference {
  /** The last entry that has the row; null for none. */
  readonly auditId: bigint | null;
  readonly message: string;
}

/** An entry, with the rows that it left, JSON text. */
type Entry = Pick<typeof auditLog.$inferSelect, "auditId" | "detail"> & { facts: string | null };

/** The tables that the log is replayed against, each with the columns that name a row, in SQL. */
export const FACT_TABLES: Readonly<Record<string, readonly string[]>> = {
  approval_rules: ["act"],
  attestation_keys: ["key_id"],
  authorities: ["name"],
  cells: ["cell_id"],
  certificates: ["certificate_hash"],
  client_secrets: ["secret_id"],
  office: ["singleton"],
  operator_identities: ["identity_id"],
  operator_keys: ["key_id"],
  operator_roles: ["operator_id", "role"],
  operators: ["operator_id"],
  partner_contacts: ["partner_id", "name"],
  partner_documents: ["partner_id", "reference"],
  partners: ["partner_id"],
  pool_versions: ["pool_id", "number"],
  pools: ["pool_id"],
  price_settings: ["singleton"],
  receipt_keys: ["key_id"],
  refiners: ["refiner", "list", "from_day"],
  reserve_attestations: ["day"],
  reserve_banks: ["day"],
  signing_keys: ["partner_id", "key_id"],
  source_addresses: ["partner_id", "cidr"],
  token_keys: ["key_id"],
  vault_bars: ["serial"],
  vault_count_acceptances: ["count_id"],
  vault_count_lines: ["count_id", "serial"],
  vault_count_signatures: ["count_id"],
  vault_counts: ["count_id"],
  webhook_secrets: ["secret_id"],
};

/** Columns that change without an act. */
const NOT_BY_ACTS = /^(?:revision|revocation_list_pem)$/;
/** Columns that are compared by their hashes: they are secret, or long. */
const HASHED = /^(?:sealed_.*|secret_hash|.*pem)$/;

/** Reads the register's rows in the caller's transaction, table by table, without a function of the database's. */
export async function* readFacts(tx: Transaction): AsyncIterable<FactRow> {
  await tx.unsafe("set local timezone to 'UTC'");
  for (const [fact, columns] of Object.entries(FACT_TABLES)) {
    const key = columns.map((column) => `to_jsonb(t) ->> '${column}'`).join(", ");
    const rows = await tx.unsafe<{ key: string; row: string }[]>(
      `select concat_ws('/', ${key}) as key, (select jsonb_object_agg(name, value #>> '{}')
        from jsonb_each(to_jsonb(t)) as members (name, value))::text as row from ${fact} t`,
    );
    for (const { key, row } of rows) {
      yield { fact, key, row: await imageOf(fact, JSON.parse(row)) };
    }
  }
}

async function imageOf(fact: string, row: FactRow["row"]): Promise<FactRow["row"]> {
  const kept = Object.entries(row).filter(([name]) =>
    !NOT_BY_ACTS.test(name) && !(fact === "partners" && name === "cell_id")
  );
  return Object.fromEntries(
    await Promise.all(kept.map(async ([name, value]) => [
      name,
      HASHED.test(name) && value !== null ? `sha256:${await sha256Hex(encodeUtf8(value))}` : value,
    ])),
  );
}

/**
 * Creates a replay of the log: it follows what each entry left, and says how the register differs from that.
 * Its memory grows with the rows, not with the entries.
 */
export function createReplay() {
  const left = new Map<string, { row: FactRow["row"] | null; auditId: bigint }>();
  return {
    /** Takes the next entry; returns what is wrong with the rows that it left, undefined when nothing is. */
    async follow({ auditId, detail, facts }: Entry): Promise<string | undefined> {
      const sha256 = (JSON.parse(detail) as Record<string, unknown>)["rows_sha256"];
      if (sha256 === undefined) return undefined;
      if (facts === null || await sha256Hex(encodeUtf8(facts)) !== sha256) {
        return "the rows that it left are not what they were";
      }
      const rows = JSON.parse(facts) as [string, string, FactRow["row"] | null][];
      for (const [fact, key, row] of rows) {
        left.set(`${fact} ${key}`, { row, auditId });
      }
      return undefined;
    },

    /** Compares the register with what the entries left; nothing is known before the first that left rows. */
    async compare(register: AsyncIterable<FactRow>): Promise<Difference[]> {
      const findings: Difference[] = [];
      const isKnown = left.size > 0;
      const differs = (auditId: bigint | null, message: string) =>
        findings.push({ auditId, message });
      for await (const { fact, key, row } of register) {
        const name = `${fact} ${key}`;
        const expected = left.get(name);
        left.delete(name);
        if (!isKnown) continue;
        if (expected === undefined) {
          differs(null, `${name}: no entry has it`);
        } else if (expected.row === null) {
          differs(
            expected.auditId,
            `${name}: entry ${expected.auditId} removed it, and it is there`,
          );
        } else {
          for (const column of new Set([...Object.keys(expected.row), ...Object.keys(row)])) {
            const [was, is] = [expected.row[column] ?? null, row[column] ?? null];
            if (was === is) continue;
            const message =
              `${name}: ${column} is ${is}, and entry ${expected.auditId} left ${was}`;
            differs(expected.auditId, message);
          }
        }
      }
      for (const [name, { row, auditId }] of left) {
        if (row !== null) differs(auditId, `${name}: entry ${auditId} left it, and it is gone`);
      }
      return findings;
    },
  };
}
