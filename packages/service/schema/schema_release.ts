import { readdir, readFile } from "node:fs/promises";
import { basename } from "node:path";

const FOLDER = new URL("./", import.meta.url);

/** One migration: the name of its file and its statements. */
export interface MigrationStep {
  name: string;
  statements: string;
}

/** What a checkout brings a database to (Decision D49). */
export interface SchemaRelease {
  /** Raised with every change of a migration or a function; later is higher. */
  readonly version: number;
  /** The oldest version whose programs still work on a database of this version. */
  readonly servesFrom: number;
  /** The baseline and what came after it, in the order of their names. */
  readonly migrations: MigrationStep[];
  /** The statements that make all SQL functions, or replace them. */
  readonly functions: string;
  readonly functionsHash: string;
}

/** The migration that creates the schema of an empty database, and the last migration it replaced. */
export const BASELINE = "0000_baseline";
export const LAST_BEFORE_BASELINE = "0045_acts_everywhere";

let release: SchemaRelease | undefined;

/** Reads this checkout's migrations, functions and version, once in the life of a process. */
export async function readSchemaRelease(): Promise<SchemaRelease> {
  return release ??= await readFiles();
}

async function readFiles(): Promise<SchemaRelease> {
  const [migrations, functionFiles, text] = await Promise.all([
    readSqlFiles(new URL("migrations/", FOLDER), /^\w+\.sql$/),
    readSqlFiles(new URL("../", FOLDER), FUNCTIONS),
    readFile(new URL("schema_version.json", FOLDER), "utf8"),
  ]);
  const functions = functionFiles.map(({ statements }) => statements).join("\n");
  const { version, serves_from } = JSON.parse(text) as { version: number; serves_from: number };
  return {
    version,
    servesFrom: serves_from,
    migrations,
    functions,
    functionsHash: await hashText(functions),
  };
}

/** The hash of everything that `migrate` applies; it names a template database or a snapshot. */
export async function schemaHash(): Promise<string> {
  const { migrations, functions, version } = await readSchemaRelease();
  const statements = migrations.map((step) => step.statements);
  return await hashText([version, ...statements, functions].join("\n"));
}

/** The files of SQL functions, which lie beside the code that calls them; other SQL is one level deeper. */
const FUNCTIONS = /^\w+\/\w+\.sql$/;

/** The SQL files below a folder whose paths fit, in the order of their names. */
async function readSqlFiles(folder: URL, fits: RegExp): Promise<MigrationStep[]> {
  const paths = (await readdir(folder, { recursive: true })).filter((path) => fits.test(path));
  return await Promise.all(
    paths.sort((a, b) => basename(a) < basename(b) ? -1 : 1).map(async (path) => ({
      name: basename(path, ".sql"),
      statements: await readFile(new URL(path, folder), "utf8"),
    })),
  );
}

async function hashText(text: string): Promise<string> {
  const hash = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return [...new Uint8Array(hash, 0, 8)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
