/**
 * Records for the runner's search at the end (`search_run.ts`): the logs of the programs that a test started
 * and, in a separate file, the secrets that it used. The functions of test/support write them. Without a
 * runner (`SABIKA_TEST_RECORD` is not set) nothing is kept.
 */
import { appendFileSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { decodeBase64, encodeBase64 } from "@sabika/protocol";
import type { KnownSecret } from "./find_secrets.ts";
import { secretsIn } from "./secrets_in.ts";

/** The file of a record that has its secrets, one JSON object per line. */
export const SECRETS_FILE = "secrets.jsonl";
/** The folder of a record that has its logs. */
export const LOGS_FOLDER = "logs";

/** A record that can be written to. */
export interface TestRecord {
  /** Keeps the log of a service, an Envoy or a command; texts with the same name are appended. */
  log(name: string, text: string): void;
  /** Keeps a secret that has no recognizable form, such as an edge secret. */
  secret(kind: string, value: string | Uint8Array): void;
  /** Keeps all secrets that texts contain on purpose, found by their forms: kits, keys, token answers. */
  secretsIn(...texts: readonly (string | null | undefined)[]): void;
  /**
   * Keeps a data folder's logs (`*.log`), and the secrets of its kits, keys, edge secrets and database URLs,
   * before the folder is removed. A database's own files are left out.
   */
  dataFolder(folder: string): void;
}

const NO_RECORD: TestRecord = { log() {}, secret() {}, secretsIn() {}, dataFolder() {} };

/** Opens a record in a folder, which is created if it is missing. */
export function openRecord(folder: string): TestRecord {
  mkdirSync(join(folder, LOGS_FOLDER), { recursive: true, mode: 0o700 });
  const known = new Set<string>();
  const record: TestRecord = {
    log(name, text) {
      if (text === "") return;
      const end = text.endsWith("\n") ? "" : "\n";
      appendFileSync(join(folder, LOGS_FOLDER, name), text + end, { mode: 0o600 });
    },
    secret(kind, value) {
      const isText = typeof value === "string";
      const line = JSON.stringify(isText ? [kind, value] : [kind, encodeBase64(value), "bytes"]);
      if (known.has(line)) return;
      known.add(line);
      appendFileSync(join(folder, SECRETS_FILE), `${line}\n`, { mode: 0o600 });
    },
    secretsIn(...texts) {
      for (const text of texts) {
        for (const { kind, value } of secretsIn(text ?? "")) record.secret(kind, value);
      }
    },
    dataFolder(data) {
      const entries = readdirSync(data, { withFileTypes: true });
      const isDatabase = entries.some(({ name }) => name === "PG_VERSION");
      for (const entry of entries) {
        const path = join(data, entry.name);
        if (entry.isDirectory() && !isDatabase) record.dataFolder(path);
        else if (entry.isFile()) keepFile(record, entry.name, path);
      }
    },
  };
  return record;
}

function keepFile(record: TestRecord, name: string, path: string): void {
  const read = () => readFileSync(path, "utf8");
  const lines = () => read().split("\n").map((line) => line.trim()).filter(Boolean);
  if (name.endsWith(".log")) record.log(name, read());
  else if (/^(partner\.json|database\.url|.*[._]key)$/.test(name)) record.secretsIn(read());
  else if (/^edge_secrets?$/.test(name)) {
    for (const line of lines()) record.secret("edge secret", line);
  } else if (name === "postgresql.password") record.secret("database password", lines()[0]!);
}

const records = new Map<string, TestRecord>();

/** Returns the record of the current test file: the runner runs several files in one process. */
function currentRecord(): TestRecord {
  const folder = process.env.SABIKA_TEST_RECORD;
  if (!folder) return NO_RECORD;
  const record = records.get(folder) ?? openRecord(folder);
  records.set(folder, record);
  return record;
}

/** The record of whichever test file runs. */
export const testRecord: TestRecord = {
  log: (name, text) => currentRecord().log(name, text),
  secret: (kind, value) => currentRecord().secret(kind, value),
  secretsIn: (...texts) => currentRecord().secretsIn(...texts),
  dataFolder: (folder) => currentRecord().dataFolder(folder),
};

/** Parses the text of a `SECRETS_FILE`. */
export function readSecrets(text: string): KnownSecret[] {
  return text.split("\n").filter(Boolean).map((line) => {
    const [kind, value, form] = JSON.parse(line) as [string, string, "bytes"?];
    return { kind, value: form === "bytes" ? decodeBase64(value)! : value };
  });
}
