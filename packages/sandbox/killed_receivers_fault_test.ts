import { after, before, describe, it } from "node:test";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { assert, assertEquals } from "@std/assert";
import { type Client, createClient, openKit, riyals } from "@sabika/client";
import { openTestDatabase } from "../../test/support/test_database.ts";
import { temporaryFolder } from "../../test/support/temporary_folder.ts";
import { surroundings } from "../../test/support/sandbox/surroundings.ts";
import { seeded } from "../../test/support/seeded.ts";
import { until } from "../../test/support/until.ts";
import { testRecord } from "../../test/secret_search/record.ts";
import { RUNTIME_ARGUMENTS } from "../../tools/programs/own_process.ts";
import { runProgram } from "../../tools/programs/run_program.ts";
import { type Sandbox, startSandbox } from "./mod.ts";

// The receivers of docs/partner.md, killed again and again while events come: each is handled once.

const EXAMPLES = fileURLToPath(new URL("../../docs/examples/", import.meta.url));
const KILLS = 4;
const EVENTS = 200;

describe("receivers written from the partner's page", () => {
  const folder = temporaryFolder();
  let sandbox: Sandbox;
  let client: Client;
  let receiver: ChildProcess | undefined;
  const chance = seeded(20);
  before(async () => {
    sandbox = await startSandbox({ dataFolder: join(folder, ".sabika"), port: 0 }, surroundings);
    client = createClient(await openKit(sandbox.demo!.kitFolder));
  });
  after(async () => {
    receiver?.kill("SIGKILL");
    await client.close();
    await sandbox.stop();
    testRecord.dataFolder(folder);
  });

  /** Writes events while the receiver is killed and started again; returns the last event's sequence. */
  async function withKills(first: number, command: string, args: readonly string[]) {
    const start = async () => {
      receiver = spawn(command, args, { stdio: ["ignore", "pipe", "inherit"] });
      const ended = once(receiver, "exit").then(() => Promise.reject(new Error("it ended")));
      ended.catch(() => {});
      await Promise.race([once(receiver.stdout!, "data"), ended]);
    };
    const kill = async () => {
      const gone = once(receiver!, "exit");
      receiver!.kill("SIGKILL");
      await gone;
    };
    await start();
    for (let n = 0; n < KILLS; n++) {
      const written: Promise<unknown>[] = [];
      for (let m = 0; m < EVENTS / KILLS; m++) {
        written.push(client.fund({ amountHalalas: riyals("1") }));
      }
      await new Promise((resolve) => setTimeout(resolve, 50 + 400 * chance()));
      await kill();
      await Promise.all(written);
      await start();
    }
    // Redelivers all of them at once: the retries of failed deliveries would take minutes.
    const [last] = (await client.events({ limit: 1 })).data;
    const { sequence: toSequence } = last!;
    await client.redeliverRange({ fromSequence: first, toSequence });
    await until(
      async () => (await client.events({ status: "pending", limit: 1 })).data.length === 0,
      90_000,
    );
    await kill();
    return toSequence;
  }

  const upTo = (count: number) => Array.from({ length: count }, (_, n) => n + 1);

  it("in Hono, with PostgreSQL, handle each event once and in sequence", async () => {
    const { database, urlAs, close } = await openTestDatabase();
    try {
      const { username, password, pathname, searchParams } = new URL(
        urlAs("sabika_owner").replace("@/", "@any/"),
      );
      const at = `${searchParams.get("host")}:${searchParams.get("port")}`;
      const url = `postgres://${username}:${password}@${at}${pathname}`;
      const args = [...RUNTIME_ARGUMENTS, join(EXAMPLES, "receive_hono.ts")];
      const last = await withKills(1, process.execPath, [...args, sandbox.demo!.kitFolder, url]);
      const rows = await database.sql<{ sequence: bigint }[]>`
        select sequence from news order by position`;
      assert(last >= EVENTS);
      assertEquals(rows.map((row) => Number(row.sequence)), upTo(last));
    } finally {
      await close();
    }
  });

  it("in Python, with SQLite, handle each event once", async () => {
    const books = join(folder, "books.db");
    const [before] = (await client.events({ limit: 1 })).data;
    const args = [join(EXAMPLES, "receive.py"), sandbox.demo!.kitFolder, books];
    const last = await withKills(before!.sequence + 1, "python3", args);
    const query = "import sqlite3, sys, json\n" +
      "rows = sqlite3.connect(sys.argv[1]).execute('select sequence from news order by sequence')\n" +
      "print(json.dumps([row[0] for row in rows]))";
    const { stdout, stderr } = await runProgram("python3", ["-c", query, books]);
    assertEquals(stderr, "");
    assertEquals(JSON.parse(stdout), upTo(last).slice(before!.sequence));
  });
});
