import { chmod, chown, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { openDatabase } from "@sabika/database";
import { newMasterKey } from "@sabika/identity/secrets";
import { type DatabaseRole, makeDatabaseLogin, makeDatabaseRoles } from "@sabika/service/schema";
import { runPostgreSQL } from "../../../tools/programs/run_postgresql.ts";
import { unprivilegedUser } from "../../../tools/programs/unprivileged_user.ts";
import { testRecord } from "../../secret_search/record.ts";
import { random } from "../random.ts";
import { temporaryFolder } from "../temporary_folder.ts";

/** The user id of the service's image. */
const USER = 10_001;
/** The path of the folder `server` in the containers. */
const SEEN_AT = "/var/lib/sabika/secrets";
const LOGINS: Record<string, { name: string; role: DatabaseRole }> = {
  "server/server.url": { name: "sabika_server", role: "sabika_app" },
  "owner/owner.url": { name: "sabika_migration", role: "sabika_owner" },
  "operator/database.url": { name: "sabika_command", role: "sabika_operator" },
};

/**
 * Sets up what docker-compose.production.yml leaves to a site: a durable PostgreSQL with its three logins,
 * reached by its socket, and folders with the secrets.
 */
export async function openSite() {
  const folder = temporaryFolder();
  await chmod(folder, 0o755);
  /** The folder of the root authority's file. */
  const apart = join(folder, "apart");
  const secrets = join(folder, "secrets");
  const paths = [
    apart,
    ...["server", "owner", "operator"].map((name) => join(secrets, name)),
  ];
  for (const path of paths) {
    await mkdir(path, { recursive: true });
    await chown(path, USER, USER);
  }
  const sockets = join(secrets, "server", "database");
  await mkdir(sockets);
  const { uid = 0, gid = 0 } = unprivilegedUser() ?? {};
  await chown(sockets, uid, gid);
  const postgresql = await runPostgreSQL({
    durable: true,
    settings: { unix_socket_directories: sockets, unix_socket_permissions: "0777" },
  });
  const write = async (path: string, text: string) => {
    await writeFile(join(secrets, path), `${text}\n`, { mode: 0o600 });
    await chown(join(secrets, path), USER, USER);
    testRecord.secretsIn(text);
  };
  await write("server/master.key", newMasterKey("1", random));
  await write("server/edge_secrets", crypto.randomUUID());
  const database = openDatabase(postgresql.url, { maxConnections: 1 });
  await makeDatabaseRoles(database);
  for (const [path, login] of Object.entries(LOGINS)) {
    const password = crypto.randomUUID();
    await makeDatabaseLogin(database, { ...login, password });
    const host = encodeURIComponent(`${SEEN_AT}/database`);
    const place = `host=${host}&port=${postgresql.port}`;
    await write(path, `postgres://${login.name}:${password}@/postgres?${place}`);
  }
  await database.close();
  return {
    apart,
    secrets,
    async close() {
      await postgresql.stop();
    },
  };
}
