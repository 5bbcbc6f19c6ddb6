/** F27, I1 to I6: servers on PostgreSQL behind PgBouncer, with TLS on both sides, as in docs/database.md. */
import { assert, assertEquals } from "@std/assert";
import { type ChildProcess, spawn } from "node:child_process";
import { chmod, cp, readFile, writeFile } from "node:fs/promises";
import { once } from "node:events";
import { connect } from "node:net";
import { join, resolve } from "node:path";
import { after, before, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { type Database, missingSessionSettings, openDatabase } from "@sabika/database";
import { makeDatabaseLogin, makeDatabaseRoles } from "@sabika/service/schema";
import { atEnd } from "../../tools/programs/at_end.ts";
import { findProgram } from "../../tools/programs/find_program.ts";
import { freePort } from "../../tools/programs/free_port.ts";
import { endProcess } from "../../tools/programs/own_process.ts";
import { unprivilegedUser } from "../../tools/programs/unprivileged_user.ts";
import { testRecord } from "../secret_search/record.ts";
import { createTestAuthority } from "../support/test_certificates.ts";
import { temporaryFolder } from "../support/temporary_folder.ts";
import { chanceOf, drawSeed } from "../support/history/chance.ts";
import { startWorkload } from "../support/history/workload.ts";
import { giveToPostgreSQL } from "../support/base_backup.ts";
import { until } from "../support/until.ts";
import { openWorld, type World } from "./world.ts";

const PAGE = fileURLToPath(new URL("../../docs/database.md", import.meta.url));
const user = unprivilegedUser();
const folder = temporaryFolder();
let world: World;
let pooler: ChildProcess | undefined;
let poolerOutput = "";
let startPooler: () => Promise<void>;
let url: string;
let page: string;

/** Returns the page's only code block in a language. */
function block(language: string): string {
  const [found, ...more] = page.matchAll(new RegExp(`\`\`\`${language}\n([^]*?)\`\`\``, "g"));
  assertEquals(more, []);
  return found![1]!;
}

/** Returns a PgBouncer for an unprivileged user: the installed one, or a copy of root's in `folder`. */
async function reachablePooler(folder: string) {
  const { command, env } = await findProgram("pgbouncer");
  const usr = resolve(command, "../..");
  if (env.LD_LIBRARY_PATH === undefined) return { path: command, env };
  await cp(usr, folder, { recursive: true, verbatimSymlinks: true });
  await chmod(folder, 0o755);
  return {
    path: join(folder, "sbin", "pgbouncer"),
    env: { LD_LIBRARY_PATH: env.LD_LIBRARY_PATH.replaceAll(usr, folder) },
  };
}

before(async () => {
  page = await readFile(PAGE, "utf8");
  const authority = await createTestAuthority();
  const { certificatePem, privateKeyPem } = await authority.issue({
    name: "database",
    dns: ["localhost"],
  });
  const files = { "ca.crt": authority.certificatePem, "tls.crt": certificatePem };
  for (const [name, text] of Object.entries({ ...files, "tls.key": privateKeyPem })) {
    await writeFile(join(folder, name), text, { mode: 0o600 });
  }
  const paths = [folder, ...["ca.crt", "tls.crt", "tls.key"].map((name) => join(folder, name))];
  for (const path of paths) await giveToPostgreSQL(path);
  world = await openWorld({
    instances: 0,
    postgresql: {
      ssl: "on",
      ssl_cert_file: join(folder, "tls.crt"),
      ssl_key_file: join(folder, "tls.key"),
    },
  });
  const password = crypto.randomUUID();
  testRecord.secret("the pooled login's password", password);
  await makeDatabaseRoles(world.database);
  await makeDatabaseLogin(world.database, { name: "sabika_server", role: "sabika_app", password });

  const port = await freePort();
  const { path, env } = await reachablePooler(join(folder, "program"));
  const ini = [
    ["host=database.bank.example port=5432", `host=localhost port=${world.postgresql.port}`],
    ["dbname=sabika", "dbname=postgres"],
    ["listen_addr = 10.0.0.7", "listen_addr = 127.0.0.1"],
    ["listen_port = 6432", `listen_port = ${port}`],
    ["/etc/pgbouncer/userlist.txt", join(folder, "userlist.txt")],
    ["/etc/pgbouncer/pooler.crt", join(folder, "tls.crt")],
    ["/etc/pgbouncer/pooler.key", join(folder, "tls.key")],
    ["/etc/pgbouncer/database-ca.crt", join(folder, "ca.crt")],
  ].reduce((text, [onPage, replacement]) => {
    assert(text.includes(onPage!), `the page does not have ${onPage}`);
    return text.replace(onPage!, replacement!);
  }, block("ini"));
  await writeFile(join(folder, "pgbouncer.ini"), ini, { mode: 0o600 });
  await writeFile(join(folder, "userlist.txt"), `"sabika_server" "${password}"\n`, { mode: 0o600 });
  for (const name of ["pgbouncer.ini", "userlist.txt"]) await giveToPostgreSQL(join(folder, name));
  url = `postgres://sabika_server:${password}@localhost:${port}/sabika?sslmode=verify-full&` +
    `sslrootcert=${encodeURIComponent(join(folder, "ca.crt"))}`;

  startPooler = async () => {
    const child = spawn(path, [join(folder, "pgbouncer.ini")], {
      cwd: folder,
      env,
      stdio: ["ignore", "pipe", "pipe"],
      ...user,
    });
    pooler = child;
    child.once("exit", atEnd(() => child.kill("SIGKILL")));
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text: string) => (poolerOutput += text));
    }
    await until(
      () => {
        assert(child.exitCode === null, poolerOutput);
        const socket = connect(port, "127.0.0.1");
        const accepts = once(socket, "connect").then(() => true, () => false);
        return accepts.finally(() => socket.destroy());
      },
      10_000,
      "PgBouncer listens",
    );
  };
  await startPooler();
});
after(async () => {
  await world?.close();
  if (pooler !== undefined) await endProcess(pooler, "SIGKILL");
  testRecord.log("pgbouncer", poolerOutput);
});

test("a session through PgBouncer has the required settings once the login has them", async () => {
  const ask = async <T>(use: (database: Database) => Promise<T>) => {
    const database = openDatabase(url, { maxConnections: 1, statementTimeoutMs: 10_000 });
    try {
      return await use(database);
    } finally {
      await database.close();
    }
  };
  assertEquals(await ask(missingSessionSettings), [
    "idle_in_transaction_session_timeout",
    "lock_timeout",
  ]);
  await world.database.sql.unsafe(block("sql"));
  // PgBouncer's open sessions have the settings from before the change.
  await endProcess(pooler!, "SIGTERM");
  await startPooler();
  assertEquals(await ask(missingSessionSettings), []);
  const [row] = await ask(({ sql }) =>
    sql<{ limit: string; zone: string; name: string; ssl: boolean }[]>`
      select current_setting('statement_timeout') as limit, current_setting('TimeZone') as zone,
        current_setting('application_name') as name, ssl
      from pg_stat_ssl where pid = pg_backend_pid()`
  );
  assertEquals({ ...row }, { limit: "10s", zone: "UTC", name: "sabika", ssl: true });
});

test("two servers trade through PgBouncer, and lose nothing when it is killed (F27)", async (t) => {
  const instances = [await world.startInstance(url), await world.startInstance(url)];
  const options = { cashRiyals: 1_000_000 };
  const callers = [await world.admit(options, instances), await world.admit(options, instances)];
  const seed = drawSeed();
  const chance = chanceOf(seed);
  const load = startWorkload({ history: world.history, callers, workers: 6, seed });
  await until(() => load.ordered > 0, 15_000, "orders flow");
  for (let kill = 0; kill < 3; kill++) {
    await endProcess(pooler!, "SIGKILL");
    await pause(chance.below(500));
    await startPooler();
    const before = load.ordered;
    await until(() => load.ordered > before + 10, 15_000, "orders go on");
  }
  await load.stop();
  await world.check();
  const [sessions] = await world.database.sql<{ all: number; pooled: number }[]>`
    select count(*)::int as all, count(*) filter (where application_name like 'sabika-server%')::int
      as pooled from pg_stat_activity where usename = 'sabika_server'`;
  assert(sessions!.pooled > 0 && sessions!.all <= 38, JSON.stringify(sessions));
  t.diagnostic(`${load.ordered} orders, ${sessions!.all} sessions of the database`);
});
