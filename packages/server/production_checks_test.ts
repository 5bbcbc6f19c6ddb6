import { after, test } from "node:test";
import { assertEquals, assertMatch, assertRejects, assertStringIncludes } from "@std/assert";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Database, openDatabase } from "@sabika/database";
import { readMasterKeys } from "@sabika/identity/secrets";
import { DeploymentError } from "@sabika/service/deployment";
import { createFixedPrice } from "@sabika/service/prices";
import { SettingsError } from "@sabika/terms/settings";
import { keepRootInDatabase } from "../../test/support/root_in_database.ts";
import { temporaryFolder } from "../../test/support/temporary_folder.ts";
import { random } from "../../test/support/random.ts";
import { openTestAdmin } from "../../test/support/test_admin.ts";
import { testRecord } from "../../test/secret_search/record.ts";
import {
  checkProductionDatabase,
  checkProductionRole,
  checkProductionRoot,
  checkProductionSessions,
} from "./production_checks.ts";
import { createService } from "./service.ts";
import type { ServiceSettings } from "./settings.ts";
import { startProgram } from "../../tools/programs/own_process.ts";

// Decision D40: what production refuses to start with, each in one line.

const folder = temporaryFolder();
const edgeSecretFile = join(folder, "edge");
await writeFile(edgeSecretFile, `${"e".repeat(32)}\n`, { mode: 0o600 });
const admin = await openTestAdmin("sandbox");
after(async () => {
  await admin.close();
});

const RIGHT: ServiceSettings = {
  environment: "production",
  baseUrl: "https://api.sabika.example",
  databaseUrl: admin.testDatabase.urlAs("sabika_app"),
  databaseConnections: 1,
  masterKeys: readMasterKeys(admin.masterKeyText),
  listen: { kind: "sidecar", address: { path: join(folder, "app.sock") }, edgeSecretFile },
  deliverWebhooks: false,
};

/** Asserts that `run` is refused in one line that contains `words` and shows no password. */
async function refuses(words: string, run: () => Promise<unknown>, context?: string) {
  const { message } = await assertRejects(run, SettingsError);
  assertStringIncludes(message, words, context);
  assertEquals(/\n|s3cret/.test(message), false, message);
}

function start(change: Partial<ServiceSettings>): Promise<unknown> {
  const prices = createFixedPrice({ midTenThousandths: 4_000_000n });
  return createService({ ...RIGHT, ...change }, { now: Date.now, random, prices }).start();
}

test("production listens only behind the sidecar, and not where others can reach it", async () => {
  const pem = { certificatePem: "", keyPem: "", clientCaPem: "" };
  const tls = { kind: "tls", host: "0.0.0.0", port: 0, ...pem };
  const sidecar = (host: string) => {
    const address = { host, port: 0 };
    return { kind: "sidecar", address, edgeSecretFile };
  };
  const cases = [
    [{ listen: tls }, "behind the sidecar"],
    [{ listen: sidecar("10.0.0.1") }, "10.0.0.1"],
    [{ listen: sidecar("::") }, "::"],
    [{ baseUrl: undefined }, "SABIKA_BASE_URL"],
    [{ webhookAllowLoopback: true }, "webhooks"],
    [{ databaseUrl: "postgres://sabika:s3cret@db.example/gold" }, "db.example over verified TLS"],
    [{ databaseUrl: "postgres://sabika:s3cret@db.example/gold?sslmode=require" }, "verify-full"],
  ] as [Partial<ServiceSettings>, string][];
  for (const [change, words] of cases) await refuses(words, () => start(change));
});

test("production needs a database whose commits survive a crash (F10)", async () => {
  const database = (kind: Database["kind"], fsync: string, commit: string, pages: string) =>
    ({ kind, sql: () => Promise.resolve([{ fsync, commit, pages }]) }) as unknown as Database;
  await checkProductionDatabase(database("postgresql", "on", "remote_apply", "on"));
  const cases = [
    [database("pglite", "on", "on", "on"), "PostgreSQL"],
    [database("postgresql", "off", "on", "on"), "fsync is off"],
    [database("postgresql", "on", "off", "on"), "synchronous_commit is off"],
    [database("postgresql", "on", "on", "off"), "full_page_writes is off"],
  ] as [Database, string][];
  for (const [unsafe, words] of cases) await refuses(words, () => checkProductionDatabase(unsafe));
});

test("production needs sessions with the limits that they ask for", async () => {
  const database = (lock: string, isolation: string) => {
    const rows = [
      { name: "default_transaction_isolation", setting: isolation },
      { name: "idle_in_transaction_session_timeout", setting: "60000" },
      { name: "lock_timeout", setting: lock },
    ];
    return { kind: "postgresql", sql: () => Promise.resolve(rows) } as unknown as Database;
  };
  if (admin.testDatabase.kind === "postgresql") await checkProductionSessions(admin.database);
  await checkProductionSessions(database("3000", "read committed"));
  const cases = [
    ["0", "read committed", "needs lock_timeout in force"],
    ["9000", "serializable", "needs default_transaction_isolation, lock_timeout in force"],
  ] as const;
  for (const [lock, isolation, words] of cases) {
    await refuses(words, () => checkProductionSessions(database(lock, isolation)));
  }
});

test("production refuses a database with the root's private key, and says what moves it", async () => {
  await checkProductionRoot(admin.database);
  await keepRootInDatabase(admin, (await admin.root.read())!);
  await refuses("sabika authority export", () => checkProductionRoot(admin.database));
});

test("production serves as a role that can only serve, and as no other", async () => {
  const { testDatabase: { app, database, kind, urlAs } } = admin;
  if (kind === "pglite") return;
  await checkProductionRole(app);
  const as = async (url: string, words: string, grant?: string) => {
    const other = openDatabase(url, { maxConnections: 1 });
    await refuses(words, () => checkProductionRole(other), grant);
    await other.close();
  };
  await as(admin.testDatabase.url, "this one is a superuser");
  await as(urlAs("sabika_owner"), "this one is a member of sabika_owner, may make tables");
  await as(urlAs("sabika_operator"), "this one is a member of sabika_operator, may write acts");
  const cases = [
    ["insert on orders", "may write orders"],
    ["update (iban) on withdrawals", "may write withdrawals"],
    ["truncate on webhook_lanes", "may write webhook_lanes"],
    ["create on schema public", "may make tables"],
  ] as const;
  for (const [right, words] of cases) {
    await database.sql.unsafe(`grant ${right} to sabika_app`);
    await as(urlAs("sabika_app"), words, right);
    await database.sql.unsafe(`revoke ${right} from sabika_app`);
  }
  await database.sql`alter function place_orders owner to current_user`;
  await as(urlAs("sabika_app"), "that run as the superuser");
  await database.sql`alter function place_orders owner to sabika_owner`;
  await checkProductionRole(app);
});

test("a database of the other environment, or a missing edge secret, is refused", async () => {
  if (admin.testDatabase.kind === "pglite") {
    await assertRejects(() => start({}), SettingsError, "needs PostgreSQL");
  } else {
    const durable = await admin.database.sql<{ fsync: string }[]>`
      select current_setting('fsync') as fsync`;
    const expected = durable[0]!.fsync === "on" ? DeploymentError : SettingsError;
    await assertRejects(() => start({}), expected);
  }
  for (const text of ["", "short\n"]) {
    const file = join(folder, "bad");
    await writeFile(file, text);
    const listen = { ...RIGHT.listen, edgeSecretFile: file } as ServiceSettings["listen"];
    await assertRejects(() => start({ environment: "sandbox", listen }), Error, "edge secret");
  }
});

test("the process reports why in one line and exits with 1", async () => {
  const child = startProgram("packages/server/main.ts", {
    SABIKA_ENVIRONMENT: "production",
    SABIKA_BASE_URL: "https://api.sabika.example",
    SABIKA_DATABASE_URL: admin.testDatabase.urlAs("sabika_app"),
    SABIKA_MASTER_KEY: admin.masterKeyText,
    SABIKA_LISTEN: "0.0.0.0:8080",
    SABIKA_EDGE_SECRET_FILE: edgeSecretFile,
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => output += text);
  }
  const [code] = await once(child, "close");
  testRecord.log("server", output);
  assertEquals(code, 1);
  assertMatch(output, /^sabika: production must not listen on 0\.0\.0\.0[^\n]*\n$/);
});
