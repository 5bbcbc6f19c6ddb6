import { assert, assertEquals, assertRejects } from "@std/assert";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import postgres from "postgres";
import { until } from "../../test/support/until.ts";
import { runPostgreSQL } from "./run_postgresql.ts";

/** A statement of hours, which waits for nothing. */
const LONG = "select count(*) from generate_series(1, 1000000) a, generate_series(1, 1000000) b";
const BUSY = `select count(*)::integer from pg_stat_activity where query = '${LONG}'
  and state = 'active'`;

async function ask(url: string, query: string): Promise<unknown> {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  try {
    const rows = await sql.unsafe(query);
    return rows[0] && Object.values(rows[0])[0];
  } finally {
    await sql.end();
  }
}

test("runPostgreSQL() serves durably, survives a kill with all commits, and leaves nothing", async () => {
  const server = await runPostgreSQL({ durable: true });
  assertEquals(await ask(server.url, "show fsync"), "on");
  assertEquals(await ask(server.url, "show synchronous_commit"), "on");
  await ask(server.url, "create table kept (n integer)");
  await ask(server.url, "insert into kept values (7)");
  await server.kill();
  await server.restart();
  assertEquals(await ask(server.url, "select n from kept"), 7);
  const { socketFolder, pid } = server;
  await server.stop();
  assert(!existsSync(socketFolder));
  assert(!existsSync(`/proc/${pid}`));
});

test("runPostgreSQL() starts again though a killed one's statement goes on", async (t) => {
  const server = await runPostgreSQL({ durable: false });
  const sql = postgres(server.url, { max: 1, onnotice: () => {} });
  const [row] = await sql<{ pid: number }[]>`select pg_backend_pid() as pid`;
  t.after(() => {
    if (existsSync(`/proc/${row!.pid}`)) process.kill(row!.pid, "SIGKILL");
  });
  const busy = assertRejects(() => sql.unsafe(LONG));
  await until(async () => await ask(server.url, BUSY) === 1);
  process.kill(server.pid, "SIGKILL");
  await until(() => !existsSync(`/proc/${server.pid}`));
  assert(existsSync(`/proc/${row!.pid}`), "it does not notice");
  await server.restart();
  await busy;
  assertEquals(await ask(server.url, "select 5"), 5);
  // Its connection broke off: nothing is left to wait for.
  await sql.end({ timeout: 0 });
  await server.stop();
});

test("runPostgreSQL() keeps its data in a folder that its user cannot reach by itself", async () => {
  const root = await mkdtemp(join(tmpdir(), "sabika-kept-"));
  try {
    const folder = join(root, "deep", "data");
    const first = await runPostgreSQL({ durable: false, folder, settings: { work_mem: "8MB" } });
    assertEquals(await ask(first.url, "show work_mem"), "8MB");
    await ask(first.url, "create table kept as select 11 as n");
    await first.stop();
    const second = await runPostgreSQL({ durable: false, folder });
    assertEquals(await ask(second.url, "select n from kept"), 11);
    await second.stop();
  } finally {
    await rm(root, { recursive: true, force: true });
  }
});

test("runPostgreSQL() ends with a process that a signal ends", async () => {
  const program = `
    import { runPostgreSQL } from ${JSON.stringify(new URL("run_postgresql.ts", import.meta.url))};
    const { pid, socketFolder } = await runPostgreSQL({ durable: false });
    console.log(JSON.stringify({ pid, socketFolder }));
    setInterval(() => {}, 1000);`;
  const args = "Deno" in globalThis
    ? ["eval", "--ext=ts", program]
    : ["--import", "tsx", "--input-type=module", "--eval", program];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  const [line] = await once(child.stdout.setEncoding("utf8"), "data") as [string];
  const { pid, socketFolder } = JSON.parse(line) as { pid: number; socketFolder: string };
  assert(existsSync(`/proc/${pid}`));
  const ended = once(child, "exit");
  child.kill("SIGTERM");
  await ended;
  while (existsSync(`/proc/${pid}`) && !isZombie(pid)) await new Promise(setImmediate);
  assert(!existsSync(socketFolder));
});

function isZombie(pid: number): boolean {
  return / Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
}
