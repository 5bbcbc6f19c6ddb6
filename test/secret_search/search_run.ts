import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createSecretSearch } from "./find_secrets.ts";
import { LOGS_FOLDER, openRecord, readSecrets, SECRETS_FILE, type TestRecord } from "./record.ts";

/** The result of searching a whole run. */
export interface RunSearch {
  logs: number;
  megabytes: number;
  secrets: number;
  /** `PATH [COMBINATION] LOG, line N: KIND`, never the secret. */
  findings: string[];
}

/** Returns the folder of a record, one for each test file on each combination. */
export function recordFolder(runFolder: string, name: string): string {
  return join(runFolder, "records", encodeURIComponent(name));
}

/** Opens a record for the runner itself. */
export function openRunRecord(runFolder: string, name: string): TestRecord {
  return openRecord(recordFolder(runFolder, name));
}

/** Searches every log of the run for every secret of the run, across all tests. */
export function searchRun(runFolder: string): RunSearch {
  const folder = join(runFolder, "records");
  const records = existsSync(folder) ? readdirSync(folder).sort() : [];
  const secrets = new Map(
    records.map((record) => join(folder, record, SECRETS_FILE)).filter((file) => existsSync(file))
      .flatMap((file) => readSecrets(readFileSync(file, "utf8")))
      .map((secret) => [String(secret.value), secret]),
  );
  const search = createSecretSearch(secrets.values());
  const done: RunSearch = { logs: 0, megabytes: 0, secrets: secrets.size, findings: [] };
  for (const record of records) {
    const logs = join(folder, record, LOGS_FOLDER);
    for (const name of existsSync(logs) ? readdirSync(logs).sort() : []) {
      const text = readFileSync(join(logs, name), "utf8");
      done.logs += 1;
      done.megabytes += text.length / 1e6;
      for (const { kind, line } of search(text)) {
        done.findings.push(`${decodeURIComponent(record)} ${name}, line ${line}: ${kind}`);
      }
    }
  }
  return done;
}

/**
 * Formats the result of a search: one line without findings, otherwise a line for each.
 *
 * @param isWhole whether all tests ran; then it is a failure too if there were no logs or no secrets
 */
export function judgeSearch(
  search: RunSearch,
  isWhole: boolean,
): { failures: number; lines: string[] } {
  const { logs, secrets, megabytes, findings } = search;
  const size = `${logs} logs (${megabytes.toFixed(0)} MB)`;
  const failures = findings.map((finding) => `FAILED: a secret in a log: ${finding}`);
  if (isWhole && (logs === 0 || secrets === 0)) {
    failures.push("FAILED: the search for secrets in logs searched nothing");
  }
  const result = findings.length === 0 ? "none found" : `${findings.length} found`;
  return {
    failures: failures.length,
    lines: [...failures, `searched ${size} for ${secrets} secrets: ${result}`],
  };
}
