/** F24, F21, I1 to I6: upgrades from each release to this source under load, and back; data folders too. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { type ChildProcess, spawn } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { request } from "node:http";
import { dirname, join } from "node:path";
import process from "node:process";
import { after, before, describe, it } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { createClient, openKit } from "@sabika/client";
import { openDatabase } from "@sabika/database";
import { readStats, writeInstances } from "@sabika/sidecar";
import { atEnd } from "../../tools/programs/at_end.ts";
import { inheritedMark } from "../../tools/programs/marked_processes.ts";
import { endProcess } from "../../tools/programs/own_process.ts";
import { mustRun } from "../../tools/programs/run_program.ts";
import { testRecord } from "../secret_search/record.ts";
import { startOrderLoad } from "../support/stack/order_load.ts";
import { temporaryFolder } from "../support/temporary_folder.ts";
import { BEFORE_BASELINE, earlierReleases, FIRST, layOut } from "./earlier_release.ts";
import { findBreaches } from "../support/history/watch_books.ts";
import { until } from "../support/until.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
/** A release installs its packages first. */
const PATIENCE_MS = 180_000;

for (const release of await earlierReleases()) {
  describe(`from ${release.name} to this source`, () => {
    const folder = temporaryFolder();
    const running: ChildProcess[] = [];
    const source = () => join(folder, "source");
    /** The release that migrates a database of 1.0.0 up to the baseline (docs/operator/upgrade.md). */
    const stop = () => join(folder, "stop");
    before(async () => {
      await layOut(release, source());
      if (release.name === FIRST.name) await layOut(BEFORE_BASELINE, stop());
    });
    after(async () => {
      for (const child of running) await endProcess(child, "SIGTERM");
      for (const data of ["stack", "start"]) testRecord.dataFolder(join(folder, data));
    });

    /** Runs a script of package.json until it serves; Ctrl-C ends it. */
    async function run(where: string, script: "start" | "stack", data: string) {
      const { scripts } = JSON.parse(await readFile(join(where, "package.json"), "utf8"));
      const [, ...words] = scripts[script].split(" ");
      const options = ["--data", join(folder, data), "--port", "0"];
      const child = spawn(process.execPath, [...words, ...options], {
        cwd: where,
        env: { PATH: process.env["PATH"], HOME: process.env["HOME"], ...inheritedMark() },
        stdio: ["ignore", "pipe", "pipe"],
      });
      running.push(child);
      child.once("exit", atEnd(() => child.kill("SIGTERM")));
      let output = "";
      for (const stream of [child.stdout, child.stderr]) {
        stream.setEncoding("utf8").on("data", (text: string) => (output += text));
      }
      child.once("close", () => testRecord.log(script, output));
      await until(
        () => {
          assert(child.exitCode === null, output);
          return /^ready https:/m.test(output);
        },
        PATIENCE_MS,
        `${script} serves`,
      );
      return { child, stop: () => endProcess(child, "SIGINT") };
    }

    it("changes servers under load without a failed request, there and back (F21, F24)", async (t) => {
      const old = await run(source(), "stack", "stack");
      const data = join(folder, "stack");
      const [first] = await serversOf(data);
      const socketOf = (name: string) => join(dirname(first!.socket), `${name}.sock`);
      const olds = ["server-1", "server-2"].map(socketOf);
      const news = ["new-1", "new-2"].map(socketOf);
      const list = (sockets: string[]) => changeList(data, dirname(first!.socket), sockets);
      const load = await startOrderLoad(join(data, "partners", "partner-1"));
      const isUnbroken = () => assertEquals([...new Set(load.failures)], []);
      await pause(2_000);

      const environment = {
        SABIKA_ENVIRONMENT: "sandbox",
        SABIKA_OWNER_DATABASE_URL_FILE: join(data, "database.url"),
        SABIKA_MASTER_KEY_FILE: join(data, "master.key"),
      };
      for (const cwd of release.name === FIRST.name ? [stop(), ROOT] : [ROOT]) {
        const migrate = ["tools/run.mjs", "packages/operator/main.ts", "migrate", "--yes"];
        await mustRun(process.execPath, migrate, {
          cwd,
          env: { PATH: process.env["PATH"], HOME: process.env["HOME"], ...environment },
        });
        await pause(1_000);
        isUnbroken();
      }

      const started = await Promise.all(
        news.map((socket) => startServer(ROOT, first!.environment, socket)),
      );
      for (const { child, isServing, output } of started) {
        running.push(child);
        assert(isServing, output);
      }
      await list([...olds, ...news]);
      await list(news);
      const before = load.orders.length;
      await until(() => load.orders.length > before + 50, 10_000, "the new ones take orders");
      isUnbroken();
      t.diagnostic("forth");

      const restarted = await startServer(source(), first!.environment, socketOf("again"));
      running.push(restarted.child);
      // Running servers continue. A server of an earlier release can also start, except that of 1.0.0.
      assertEquals(restarted.isServing, release.name !== "v1.0.0", restarted.output);
      if (!restarted.isServing) assertStringIncludes(restarted.output, "already exists");
      await list([...olds, ...news]);
      await list(olds);
      const between = load.orders.length;
      await until(() => load.orders.length > between + 50, 10_000, "the old ones take orders");
      isUnbroken();
      t.diagnostic("back");

      await list([...olds, ...news]);
      await list(news);
      await pause(2_000);
      await load.stop();
      isUnbroken();
      const database = openDatabase((await readFile(join(data, "database.url"), "utf8")).trim());
      try {
        assertEquals(await findBreaches({ database }), []);
        const [row] = await database.sql<{ orders: number }[]>`
          select count(*)::int as orders from orders`;
        assertEquals(
          row!.orders,
          load.orders.filter(({ orderId }) => orderId !== undefined).length,
        );
      } finally {
        await database.close();
      }
      t.diagnostic(`${load.orders.length} orders`);
      for (const { child } of started) await endProcess(child, "SIGTERM");
      await old.stop();
    });

    it("takes over the data folder of the stack with its partners, kits and money", async () => {
      const kit = await openKit(join(folder, "stack", "partners", "partner-1"));
      const stack = await run(ROOT, "stack", "stack");
      const now = await openKit(join(folder, "stack", "partners", "partner-1"));
      assertEquals(now.clientId, kit.clientId);
      await trade(join(folder, "stack", "partners", "partner-1"));
      await stack.stop();
    });

    it("takes over the data folder of npm start with its partners, kits and money", async () => {
      const kit = join(folder, "start", "partners", "demo");
      const old = await run(source(), "start", "start");
      const before = await trade(kit);
      await old.stop();
      if (release.name === FIRST.name) await (await run(stop(), "start", "start")).stop();
      const sandbox = await run(ROOT, "start", "start");
      const client = createClient(await openKit(kit));
      const { sarHalalas, goldMicrograms } = await client.balances();
      await client.close();
      assertEquals([sarHalalas, goldMicrograms], before);
      await trade(kit);
      await sandbox.stop();
    });
  });
}

/** Buys gold with a kit; returns the balances afterwards. */
async function trade(folder: string): Promise<[bigint, bigint]> {
  const client = createClient(await openKit(folder));
  try {
    await client.fund({ amountHalalas: 100_000n });
    const quote = await client.quote({ side: "buy", goldMicrograms: 10_000n });
    const { status } = await client.order({ quoteId: quote.id });
    assertEquals(status, "executed");
    const { sarHalalas, goldMicrograms } = await client.balances();
    return [sarHalalas, goldMicrograms];
  } finally {
    await client.close();
  }
}

/** Finds the servers of a running stack in /proc (Linux only). */
async function serversOf(data: string) {
  const found: { environment: Record<string, string>; socket: string }[] = [];
  for (const pid of (await readdir("/proc")).filter((name) => /^\d+$/.test(name))) {
    const text = await readFile(`/proc/${pid}/environ`, "utf8").catch(() => "");
    const variables = Object.fromEntries(
      text.split("\0").map((line) => line.split(/=(.*)/s).slice(0, 2)),
    );
    const [, socket] = /^unix:(.*\/server-1\.sock)$/.exec(variables["SABIKA_LISTEN"] ?? "") ?? [];
    if (socket === undefined || !variables["SABIKA_MASTER_KEY_FILE"]?.startsWith(data)) continue;
    const settings = Object.entries(variables).filter(([name]) => name.startsWith("SABIKA_"));
    found.push({ socket, environment: Object.fromEntries(settings) as Record<string, string> });
  }
  assert(found.length > 0, "no server of the stack runs");
  return found;
}

/** Starts a server from a source folder; resolves when it is ready or has ended. */
async function startServer(where: string, environment: Record<string, string>, socket: string) {
  const child = spawn("node", ["--import", "tsx", "packages/server/main.ts"], {
    cwd: where,
    env: {
      PATH: process.env["PATH"],
      HOME: process.env["HOME"],
      ...inheritedMark(),
      ...environment,
      SABIKA_LISTEN: `unix:${socket}`,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  child.once("exit", atEnd(() => child.kill("SIGKILL")));
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => (output += text));
  }
  child.once("close", () => testRecord.log("server", output));
  await until(
    async () => child.exitCode !== null || await isReady(socket),
    PATIENCE_MS,
    "a server is ready",
  );
  return { child, isServing: child.exitCode === null, output };
}

function isReady(socketPath: string): Promise<boolean> {
  return new Promise((resolve) => {
    const outgoing = request({ socketPath, path: "/ready", agent: false }, (answer) => {
      answer.resume();
      resolve(answer.statusCode === 200);
    });
    outgoing.on("error", () => resolve(false)).end();
  });
}

/** Gives Envoy another list of instances, and waits until it has found all of them ready. */
async function changeList(data: string, sockets: string, listed: string[]): Promise<void> {
  const instances = listed.map((socket) => ({ address: `unix:${socket}` }));
  await writeInstances(join(data, "sidecar"), instances, String(performance.now()));
  await until(
    async () => {
      const stats = await readStats(join(sockets, "admin.sock"), "^cluster.service.membership_");
      const membership = (name: string) => stats.get(`cluster.service.membership_${name}`);
      return membership("total") === listed.length && membership("healthy") === listed.length;
    },
    20_000,
    "Envoy has the list",
  );
}
