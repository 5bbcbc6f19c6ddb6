import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { type Database, openDatabase, readDatabaseUrl } from "@sabika/database";
import { writePrivateFile } from "@sabika/identity/keys";
import { migrateDatabase } from "@sabika/office/people";
import { type DatabaseRole, makeDatabaseLogin, makeDatabaseRoles } from "@sabika/service/schema";
import { placeFiles, type Places } from "../places.ts";
import { type DeploymentPlan, EXPORTER_LOGIN } from "../services.ts";
import type { Surroundings } from "../surroundings.ts";
import { newSecret } from "./deployment_secrets.ts";
import { STACK } from "./stack_partners.ts";

/**
 * Prepares a database for a deployment: a login for each role, with its URL in a file for the programs that
 * need it (Decision D48), and the schema. What exists stays, so it may run before every start.
 *
 * @param superuserUrl the superuser's URL of the database, which is stored nowhere
 * @returns the migrations that were applied
 */
export async function prepareDatabase(
  { places, environment }: DeploymentPlan,
  superuserUrl: string,
  { now, random }: Surroundings,
): Promise<string[]> {
  await withDatabase(superuserUrl, async (database) => {
    await makeDatabaseRoles(database);
    for (const { file, holds, ...login } of loginsOf(places)) {
      const text = (await readFile(file, "utf8").catch(() => "")).trim();
      const kept = holds === "url" ? passwordIn(text, login.name) : text;
      const password = kept || newSecret(random);
      await makeDatabaseLogin(database, { ...login, password });
      const url = urlOf(superuserUrl, login.name, password);
      await writePrivateFile(file, holds === "url" ? `${url}\n` : password);
    }
  });
  if (places.administration !== places.secrets) {
    // 1.0.0 left the superuser's URL where the servers read.
    await rm(join(places.secrets, "database.url"), { force: true });
  }
  const ownerUrl = await readFile(placeFiles(places).ownerDatabaseUrl, "utf8");
  return await withDatabase(ownerUrl.trim(), async (database) => {
    const { steps } = await migrateDatabase({ database, environment, now, actor: STACK });
    return steps;
  });
}

/** A login, and the file that has its URL, or its password alone. */
interface Login {
  name: string;
  role: DatabaseRole;
  file: string;
  holds: "url" | "password";
}

function loginsOf(places: Places): Login[] {
  const files = placeFiles(places);
  return [
    { name: "sabika_server", role: "sabika_app", file: files.serverDatabaseUrl, holds: "url" },
    { name: "sabika_command", role: "sabika_operator", file: files.databaseUrl, holds: "url" },
    { name: "sabika_migration", role: "sabika_owner", file: files.ownerDatabaseUrl, holds: "url" },
    {
      name: "sabika_emergency",
      role: "sabika_break_glass",
      file: files.breakGlassDatabaseUrl,
      holds: "url",
    },
    {
      name: EXPORTER_LOGIN,
      role: "sabika_monitor",
      file: files.exporterPassword,
      holds: "password",
    },
  ];
}

/** Returns the login's present password, which a running server may use; undefined without one. */
function passwordIn(url: string, name: string): string | undefined {
  const { user, password } = url === "" ? {} : readDatabaseUrl(url);
  return user === name ? password : undefined;
}

/** Returns the URL with another login and its password. */
function urlOf(url: string, name: string, password: string): string {
  return url.replace(/^(postgres(?:ql)?:\/\/)(?:[^@/?]*@)?/, `$1${name}:${password}@`);
}

/** Runs `body` with a database of the deployment, which is open until it ends. */
export async function withDatabase<T>(
  url: string,
  body: (database: Database) => Promise<T>,
): Promise<T> {
  const database = openDatabase(url, { maxConnections: 1, applicationName: "sabika-stack" });
  try {
    return await body(database);
  } finally {
    await database.close();
  }
}
