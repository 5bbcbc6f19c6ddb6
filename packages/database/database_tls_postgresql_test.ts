/** TLS to a real PostgreSQL, as a database on another machine needs it. */
import { after, before, describe, it } from "node:test";
import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { chown, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import process from "node:process";
import { listen } from "../../test/support/listen.ts";
import { createTestAuthority } from "../../test/support/test_certificates.ts";
import { temporaryFolder } from "../../test/support/temporary_folder.ts";
import { type RunningPostgreSQL, runPostgreSQL } from "../../tools/programs/run_postgresql.ts";
import { unprivilegedUser } from "../../tools/programs/unprivileged_user.ts";
import { type Database, type DatabaseOptions, openDatabase } from "./database.ts";
import { classifyFailure } from "./failure.ts";

const codeOf = (error: unknown) => (error as { code?: string }).code ?? "";

describe("TLS with a PostgreSQL", () => {
  const folder = temporaryFolder();
  let postgresql: RunningPostgreSQL;
  const file = (name: string) => join(folder, name);
  const url = (query: string, host = "localhost") =>
    `${postgresql.url.replace("@127.0.0.1:", `@${host}:`)}?${query}`;
  const verified = () => url(`sslmode=verify-full&sslrootcert=${file("ca.crt")}`);

  before(async () => {
    const authority = await createTestAuthority();
    const server = await authority.issue({ name: "database", dns: ["localhost"] });
    await writeFile(file("ca.crt"), authority.certificatePem);
    await writeFile(file("other.crt"), (await createTestAuthority()).certificatePem);
    await writeFile(file("server.crt"), server.certificatePem);
    await writeFile(file("server.key"), server.privateKeyPem, { mode: 0o600 });
    const user = unprivilegedUser();
    if (user !== undefined) {
      for (const path of [folder, file("server.crt"), file("server.key")]) {
        await chown(path, user.uid, user.gid);
      }
    }
    postgresql = await runPostgreSQL({
      durable: false,
      settings: { ssl: "on", ssl_cert_file: file("server.crt"), ssl_key_file: file("server.key") },
    });
  });
  after(async () => {
    await postgresql.stop();
  });

  async function using<Result>(
    url: string,
    use: (database: Database) => Promise<Result>,
    options: DatabaseOptions = {},
  ): Promise<Result> {
    const database = openDatabase(url, { maxConnections: 1, ...options });
    try {
      return await use(database);
    } finally {
      await database.close();
    }
  }

  const isSecure = ({ sql }: Database) =>
    sql<{ ssl: boolean; version: string | null }[]>`
      select ssl, version from pg_stat_ssl where pid = pg_backend_pid()`
      .then(([row]) => [row!.ssl, row!.version]);

  it("connects when the trusted authority issued the certificate for the host", async () => {
    assertEquals(await using(verified(), isSecure), [true, "TLSv1.3"]);
    // Many large statements: inside TLS the protocol is the same.
    await using(verified(), async ({ sql }) => {
      const text = "x".repeat(1_000_000);
      const all = Array.from(
        { length: 50 },
        (_, n) => sql`select ${n}::integer as n, length(${text}) as l`,
      );
      const found = (await Promise.all(all)).map(([row]) => [row!["n"], row!["l"]]);
      assertEquals(found, all.map((_, n) => [n, 1_000_000]));
    }, { maxConnections: 3 });
  });

  // The flaw of the certificate, the sslmode, the file of the authority, and a word of the refusal.
  const REFUSALS: readonly [flaw: string, mode: string, file: string | undefined, word: string][] =
    [
      ["issued by another authority", "verify-full", "other.crt", "certificate"],
      ["issued by an authority unknown to the runtime", "verify-full", undefined, "certificate"],
      ["for another host", "verify-full", "ca.crt", ""],
      ["issued by another authority, even with require", "require", "other.crt", "certificate"],
      ["issued by an authority whose file is missing", "verify-full", "nowhere.crt", "nowhere.crt"],
    ];
  for (const [flaw, mode, root, word] of REFUSALS) {
    it(`is refused when the certificate is ${flaw}`, async () => {
      const query = `sslmode=${mode}${root === undefined ? "" : `&sslrootcert=${file(root)}`}`;
      const host = flaw === "for another host" ? "127.0.0.1" : "localhost";
      await using(url(query, host), async ({ sql }) => {
        for (let round = 0; round < 2; round++) {
          const error = await assertRejects(() => sql`select 1`.execute(), Error);
          assertEquals(codeOf(error), "DATABASE_TLS", error.message);
          assertEquals(classifyFailure(error), "away");
          assertStringIncludes(error.message, word);
          assert(!error.message.includes(postgresql.url.split(":")[2]!.split("@")[0]!));
        }
      });
    });
  }

  it("accepts any certificate with require, and also plain connections with prefer", async () => {
    assertEquals((await using(url("sslmode=require"), isSecure))[0], true);
    assertEquals((await using(url("sslmode=prefer"), isSecure))[0], true);
    const plain = process.env["TEST_DATABASE_URL"]!;
    assertEquals(await using(`${plain}?sslmode=prefer`, isSecure), [false, null]);
    await using(`${plain}?sslmode=require`, async ({ sql }) => {
      const error = await assertRejects(() => sql`select 1`.execute(), Error);
      assertEquals(codeOf(error), "DATABASE_TLS");
      assertStringIncludes(error.message, "none");
    });
  });

  it("is closed when no answer comes, and opened again (F27)", async () => {
    await using(verified(), async ({ sql }) => {
      const [row] = await sql<{ pid: number }[]>`select pg_backend_pid() as pid`;
      process.kill(row!.pid, "SIGSTOP");
      try {
        const error = await assertRejects(() => sql`select 1`.execute(), Error);
        assertEquals(codeOf(error), "ETIMEDOUT");
        // Statements sent before the socket has closed are refused with it.
        const again = () => isSecure({ sql } as Database).catch(codeOf);
        let secure = await again();
        while (secure === "CONNECTION_CLOSED") secure = await again();
        assertEquals(secure, [true, "TLSv1.3"]);
      } finally {
        process.kill(row!.pid, "SIGCONT");
      }
    }, { answerTimeoutMs: 500 });
  });

  it("refuses bytes sent before TLS begins, and a server that is silent or hangs up", async () => {
    const answers: [Uint8Array | undefined, string][] = [
      [Uint8Array.of(83, 82, 0, 0, 0, 8, 0, 0, 0, 0), "not one letter"],
      [Uint8Array.of(83, ...new Uint8Array(64)), "not one letter"],
      [new Uint8Array(), "longer than 0.2 s"],
      [undefined, "closed"],
    ];
    for (const [answer, words] of answers) {
      const server = createServer((socket) => {
        socket.on("error", () => {});
        if (answer === undefined) socket.end();
        else socket.once("data", () => socket.write(answer));
      });
      const port = await listen(server);
      const target = `postgres://u@localhost:${port}/d?sslmode=require`;
      await using(target, async ({ sql }) => {
        const error = await assertRejects(() => sql`select 1`.execute(), Error);
        assertEquals(codeOf(error), "DATABASE_TLS");
        assertStringIncludes(error.message, words);
      }, { connectTimeoutSeconds: 0.2 });
      server.close();
    }
  });
});
