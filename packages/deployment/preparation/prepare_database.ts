import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { migrateDatabase } from "@sabika/core/admin";
import { writePrivateFile } from "@sabika/core/partners";
import {
  type Database,
  type DatabaseRole,
  makeDatabaseLogin,
  makeDatabaseRoles,
  openDatabase,
  readDatabaseUrl,
} from "@sabika/core/store";
import { placeFiles, type Places } from "../places.ts";
import type { DeploymentPlan } from "../services.ts";
import type { Surroundings } from "../surroundings.ts";
import { newSecret } from "./deployment_secrets.ts";
import { STACK } from "./stack_partners.ts";

/**
 * Brings a database to where a deployment can be opened in it: its roles with a login each, whose URL
 * is in a file of its own for those who need it (Decision D48), and the schema, as its owner. What is
 * there already stays, so it may be run before every start.
 *
 * @param superuserUrl is used here and kept nowhere
 * @returns the migrations that were applied
 */
export async function prepareDatabase(
  { places, environment }: DeploymentPlan,
  superuserUrl: string,
  { now, random }: Surroundings,
): Promise<string[]> {
  await withDatabase(superuserUrl, async (database) => {
    await makeDatabaseRoles(database);
    for (const { file, ...login } of loginsOf(places)) {
      const password = await readPassword(file, login.name) ?? newSecret(random);
      await makeDatabaseLogin(database, { ...login, password });
      await writePrivateFile(file, `${urlOf(superuserUrl, login.name, password)}\n`);
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

function loginsOf(places: Places): { name: string; role: DatabaseRole; file: string }[] {
  const files = placeFiles(places);
  return [
    { name: "sabika_server", role: "sabika_app", file: files.serverDatabaseUrl },
    { name: "sabika_command", role: "sabika_operator", file: files.databaseUrl },
    { name: "sabika_migration", role: "sabika_owner", file: files.ownerDatabaseUrl },
  ];
}

/** The password that a login was given before; a server that runs may still use it. */
async function readPassword(file: string, name: string): Promise<string | undefined> {
  const url = (await readFile(file, "utf8").catch(() => "")).trim();
  const { user, password } = url === "" ? {} : readDatabaseUrl(url);
  return user === name ? password : undefined;
}

/** The same database as another login. */
function urlOf(url: string, name: string, password: string): string {
  return url.replace(/^(postgres(?:ql)?:\/\/)(?:[^@/?]*@)?/, `$1${name}:${password}@`);
}

async function withDatabase<T>(url: string, body: (database: Database) => Promise<T>): Promise<T> {
  const database = openDatabase(url, { maxConnections: 1, applicationName: "sabika-stack" });
  try {
    return await body(database);
  } finally {
    await database.close();
  }
}
