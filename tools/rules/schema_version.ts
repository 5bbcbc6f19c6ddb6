import { createHash } from "node:crypto";
import type { SourceFile } from "./repository_files.ts";
import type { Violation } from "./violation.ts";

/** The file with the version of the database's schema and the hash of its SQL. */
export const SCHEMA_VERSION_FILE = "packages/service/schema/schema_version.json";

const SQL = /^packages\/service\/(schema\/migrations|\w+)\/[^/]+\.sql$/;

/**
 * Finds migrations or functions that have changed since the schema's version was raised. Only by the
 * version does a program know whether a database is older or newer (Decision D49).
 */
export function checkSchemaVersion(files: readonly SourceFile[]): Violation[] {
  const file = files.find(({ path }) => path === SCHEMA_VERSION_FILE);
  if (file === undefined || JSON.parse(file.text).sql === hashSql(files)) return [];
  const message = "migrations or functions have changed: raise the version with " +
    "`node tools/run.mjs tools/raise_schema_version.ts`";
  return [{ path: SCHEMA_VERSION_FILE, line: 1, message }];
}

/** Returns the file's text with the next version and the hash of the current SQL. */
export function raiseSchemaVersion(files: readonly SourceFile[]): string {
  const before = JSON.parse(files.find(({ path }) => path === SCHEMA_VERSION_FILE)!.text);
  const after = { ...before, version: before.version + 1, sql: hashSql(files) };
  return `${JSON.stringify(after, null, 2)}\n`;
}

function hashSql(files: readonly SourceFile[]): string {
  const hash = createHash("sha256");
  for (const { path, text } of files.filter(({ path }) => SQL.test(path))) {
    hash.update(`${path}\n${text}`);
  }
  return hash.digest("hex").slice(0, 16);
}
