import { assertEquals, assertMatch } from "@std/assert";
import { once } from "node:events";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { openDatabase, startEmbedded } from "@sabika/database";
import { rootFile } from "@sabika/identity/certificates";
import { newMasterKey } from "@sabika/identity/secrets";
import { openOwnDeployment } from "@sabika/service/deployment";
import { migrate } from "@sabika/service/schema";
import { freePort } from "../../tools/programs/free_port.ts";
import { runPostgreSQL } from "../../tools/programs/run_postgresql.ts";
import { makeServerRole } from "../../test/support/server_role.ts";
import { fileKeys, random } from "../../test/support/test_admin.ts";
import { testRecord } from "../../test/secret_search/record.ts";
import { spawnServer } from "../../test/support/server/server_process.ts";

const MASTER_KEY = newMasterKey("test-1", random);

/** How a start ended: as it should not (it served, and was told to stop) or with its last words. */
interface End {
  served: boolean;
  code: number | null;
  out: string;
  err: string;
}

// Decision D40, fault F10: the real process against real databases, each with one thing wrong.
describe("production's process refuses to start, with one line that says why", () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "sabika-refusals-"));
    await writeFile(join(folder, "edge"), `${"e".repeat(32)}\n`, { mode: 0o600 });
  });
  after(() => rm(folder, { recursive: true, force: true }));

  /** Runs `packages/server/main.ts` until it ends, or serves. */
  async function start(databaseUrl: string, change: Record<string, string> = {}): Promise<End> {
    const child = spawnServer({
      SABIKA_ENVIRONMENT: "production",
      SABIKA_BASE_URL: "https://api.sabika.example",
      SABIKA_DATABASE_URL: databaseUrl,
      SABIKA_MASTER_KEY: MASTER_KEY,
      SABIKA_LISTEN: `unix:${folder}/app.sock`,
      SABIKA_EDGE_SECRET_FILE: join(folder, "edge"),
      ...change,
    });
    const end: End = { served: false, code: null, out: "", err: "" };
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      end.out += text;
      if (end.served || !end.out.includes('"serving"')) return;
      end.served = true;
      child.kill("SIGTERM");
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => end.err += text);
    [end.code] = await once(child, "close");
    testRecord.secretsIn(MASTER_KEY, databaseUrl);
    testRecord.log("server", end.out + end.err);
    return end;
  }

  async function refuses(words: RegExp, databaseUrl: string, change: Record<string, string> = {}) {
    const end = await start(databaseUrl, change);
    assertMatch(end.err, /^sabika: [^\n]+\n$/);
    assertMatch(end.err, words);
    assertEquals({ ...end, err: "" }, { served: false, code: 1, out: "", err: "" });
    assertEquals((await readdir(folder)).filter((name) => name.endsWith(".sock")), []);
  }

  describe("on a PostgreSQL of its own", () => {
    const data = () => join(folder, "data");

    for (const setting of ["fsync", "synchronous_commit", "full_page_writes"]) {
      it(`with ${setting}=off`, async () => {
        const server = await runPostgreSQL({
          durable: true,
          folder: data(),
          settings: { [setting]: "off" },
        });
        try {
          const words = new RegExp(`durable database: ${setting} is off\n$`);
          await refuses(words, server.url);
        } finally {
          await server.stop();
        }
      });
    }

    it("with synchronous_commit off for its role or database, or without an edge secret; else it serves", async () => {
      const server = await runPostgreSQL({ durable: true, folder: data() });
      const database = openDatabase(server.url, { maxConnections: 1 });
      try {
        for (const whom of ["ROLE sabika", "DATABASE postgres"]) {
          await database.sql.unsafe(`ALTER ${whom} SET synchronous_commit = off`);
          await refuses(/durable database: synchronous_commit is off\n$/, server.url);
          await database.sql.unsafe(`ALTER ${whom} RESET synchronous_commit`);
        }
        const url = await makeServerRole(database, server.url);
        await migrate(database);
        await refuses(/this one is a superuser/, server.url);
        await openOwnDeployment({
          ...{ database, environment: "production", nowMs: Date.now(), random },
          keys: fileKeys(MASTER_KEY),
          root: rootFile(join(folder, "root.key")),
          actor: { who: "tester", from: "test" },
        });
        // All else is right: what is missing now is the sidecar's secret.
        const edge = join(folder, "bad_edge");
        await refuses(/SABIKA_EDGE_SECRET_FILE/, url, { SABIKA_EDGE_SECRET_FILE: "" });
        await refuses(/bad_edge/, url, { SABIKA_EDGE_SECRET_FILE: edge });
        const end = await start(url);
        assertEquals([end.served, end.err], [true, ""]);
      } finally {
        await database.close();
        await server.stop();
      }
    });
  });

  it("on the embedded database", async () => {
    const embedded = await startEmbedded({ folder: null });
    try {
      await refuses(/production needs PostgreSQL/, embedded.url);
    } finally {
      await embedded.stop();
    }
  });

  // It says so before the first look at its database, which is not there.
  const nowhere = "postgres://sabika@127.0.0.1:1/postgres";

  it("to a database on another machine, without verified TLS", async () => {
    for (const mode of ["", "?sslmode=prefer", "?sslmode=require"]) {
      const url = `postgres://sabika:planted-password@database.example/gold${mode}`;
      await refuses(/database\.example over verified TLS: add sslmode=verify-full/, url);
    }
  });

  it("on a port that others can reach", async () => {
    const port = await freePort();
    await refuses(/production must not listen on ::/, nowhere, { SABIKA_LISTEN: `[::]:${port}` });
    assertEquals(await isListening(port), false);
  });
});

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => {
      socket.destroy();
      resolve(true);
    });
    socket.on("error", () => resolve(false));
  });
}
