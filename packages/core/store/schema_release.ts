import { readdir, readFile } from "node:fs/promises";

const FOLDER = new URL("./", import.meta.url);

/** One migration: what its file is called and holds. */
export interface MigrationStep {
  name: string;
  statements: string;
}

/** What a checkout brings a database to (Decision D49). */
export type SchemaRelease = Readonly<Awaited<ReturnType<typeof readFiles>>>;

let release: SchemaRelease | undefined;

/** This checkout's migrations, functions and version, read once: they are those that the process began with. */
export async function readSchemaRelease(): Promise<SchemaRelease> {
  return release ??= await readFiles();
}

async function readFiles() {
  const [migrations, functions, text] = await Promise.all([
    readMigrations(),
    readFunctions(),
    readFile(new URL("schema_version.json", FOLDER), "utf8"),
  ]);
  const { version, serves_from } = JSON.parse(text) as { version: number; serves_from: number };
  return {
    /** Raised with every change of a migration or a function; later is higher. */
    version,
    /** The oldest version whose programs still work on a database of this version. */
    servesFrom: serves_from,
    /** In the order of their journal. */
    migrations,
    /** The statements that make all SQL functions, or replace them. */
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

async function readMigrations(): Promise<MigrationStep[]> {
  const journal = JSON.parse(
    await readFile(new URL("migrations/meta/_journal.json", FOLDER), "utf8"),
  ) as { entries: { tag: string }[] };
  return await Promise.all(journal.entries.map(async ({ tag }) => ({
    name: tag,
    statements: await readFile(new URL(`migrations/${tag}.sql`, FOLDER), "utf8"),
  })));
}

async function readFunctions(): Promise<string> {
  const folder = new URL("functions/", FOLDER);
  const names = (await readdir(folder)).filter((name) => name.endsWith(".sql")).sort();
  const texts = await Promise.all(names.map((name) => readFile(new URL(name, folder), "utf8")));
  return texts.join("\n");
}

async function hashText(text: string): Promise<string> {
  const hash = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return [...new Uint8Array(hash, 0, 8)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
