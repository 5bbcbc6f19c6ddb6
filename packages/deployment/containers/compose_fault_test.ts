/** Runs docker-compose.yml through a start, load, a kill, a stop, another start and a new release (F21). */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { after, before, describe, it } from "node:test";
import { connect } from "node:tls";
import { createClient, openKit } from "@sabika/client";
import { testRecord } from "../../../test/secret_search/record.ts";
import { composed, imagesOf } from "../../../test/support/containers/composed.ts";
import { temporaryFolder } from "../../../test/support/temporary_folder.ts";
import { openSite } from "../../../test/support/containers/production_site.ts";
import {
  buildOwnImage,
  importNode,
  startEngineWith,
} from "../../../test/support/containers/stand_in_images.ts";
import {
  importEnvoy,
  importPostgreSQL,
} from "../../../test/support/containers/stand_in_services.ts";
import { sized } from "../../../test/support/sized.ts";
import { type RequestedOrder, startOrderLoad } from "../../../test/support/stack/order_load.ts";
import { until } from "../../../test/support/until.ts";
import { findProgram } from "../../../tools/programs/find_program.ts";
import { commandLine } from "../../../tools/programs/command_line.ts";

const FILE = "docker-compose.yml";
const PRODUCTION = "docker-compose.production.yml";
const NAME = "api.bank.example";
const INSTANCES = 2;
const KILLS = sized(1, 20);
/** Orders that have to be acknowledged before and after each fault. */
const ORDERS = sized(20, 500);
const CALLERS = 2;
const READERS = 16;
const PATIENCE_MS = 60_000;

const started = await startEngineWith(() => findProgram("docker-compose")).catch((error: Error) =>
  error
);
const skip = started instanceof Error ? started.message.split("\n")[0] : false;

describe(FILE, { skip }, () => {
  if (started instanceof Error) return;
  const { engine, node, more: call } = started;
  const compose = composed(engine, call, FILE);
  const up = ["up", "--detach", "--no-build", "--scale", `server=${INSTANCES}`];
  const folder = temporaryFolder();
  let kit = "";
  /** Every order that was acknowledged so far. */
  const acknowledged: RequestedOrder[] = [];
  before(async () => {
    kit = join(folder, "partners", "partner-1");
    const images = await imagesOf(FILE);
    await importPostgreSQL(engine, images["postgresql"]!);
    await importEnvoy(engine, images["sidecar"]!);
    await buildOwnImage(engine, await importNode(engine, node), images["server"]!);
  });
  after(async () => {
    testRecord.log("compose", await compose.run("logs", "--no-color").catch(String));
    testRecord.dataFolder(folder);
    // The networks belong to this machine, so none of them may stay.
    await compose.run("down", "--volumes", "--timeout", "5").catch(() => {});
    await engine.stop();
  });

  /** The containers that keep running; the jobs have ended. */
  const staying = () =>
    compose.containers("postgresql", "server", "delivery", "keeper", "sidecar", "office");
  const underLoad = async (strike: () => Promise<unknown>) => {
    const load = await startOrderLoad(kit, CALLERS);
    const answered = () => load.orders.filter(({ orderId }) => orderId !== undefined).length;
    try {
      await until(() => answered() >= ORDERS, PATIENCE_MS, "orders before");
      await strike();
      const before = answered();
      await until(() => answered() >= before + ORDERS, PATIENCE_MS, "orders after");
    } finally {
      await load.stop();
    }
    acknowledged.push(...load.orders.filter(({ orderId }) => orderId !== undefined));
    return load.failures;
  };
  /** Checks that every acknowledged order exists, and that the books agree. */
  const checkBooks = async () => {
    const client = createClient(await openKit(kit));
    const open = [...acknowledged];
    await Promise.all(Array.from({ length: READERS }, async () => {
      for (let asked = open.pop(); asked !== undefined; asked = open.pop()) {
        assertEquals((await client.getOrder(asked.orderId!)).quoteId, asked.quoteId);
      }
    }));
    await client.close();
    await compose.run("run", "--rm", "operator", "reconcile", "--full");
  };

  it("starts from nothing, and every container becomes healthy", async () => {
    await compose.run(...up);
    await compose.healthy(await staying());
    const [deployment] = await compose.containers("deployment");
    await engine.docker("cp", `${deployment}:/var/lib/sabika/partners`, folder);
    assertEquals(await underLoad(() => Promise.resolve()), []);
  });

  it("keeps every acknowledged order when an instance is killed, and brings it back", async () => {
    for (let kill = 0; kill < KILLS; kill++) {
      const [killed] = await compose.containers("server");
      await underLoad(async () => {
        const pid = (await compose.stateOf(killed!)).Pid;
        process.kill(pid, "SIGKILL");
        const isAnother = async () => ![0, pid].includes((await compose.stateOf(killed!)).Pid);
        await until(isAnother, PATIENCE_MS, "the instance is started again", 100);
        await compose.healthy([killed!]);
      });
    }
    await checkBooks();
  });

  it("stops in order, and continues with its data at the next start", async () => {
    const ids = await staying();
    await compose.run("stop");
    for (const id of ids) {
      const { ExitCode: code, OOMKilled: isKilled } = await compose.stateOf(id);
      assertEquals([code, isKilled], [0, false], (await engine.run(["logs", id])).stdout);
    }
    // Compose 1.29 takes a stopped container for an unhealthy one, and gives up.
    await compose.run("rm", "--force");
    await compose.run(...up);
    await compose.healthy(await staying());
    await checkBooks();
  });

  it("puts a new release beside the old one without a failed request (F21)", async () => {
    const leaving = await compose.containers("server");
    const failures = await underLoad(async () => {
      await compose.run("run", "--rm", "deployment");
      await compose.run(
        ...commandLine`up --detach --no-build --no-deps --no-recreate
          --scale server=${String(2 * INSTANCES)} server`,
      );
      await compose.healthy(await compose.containers("server"));
      await engine.docker("stop", ...leaving);
      await engine.docker("rm", ...leaving);
    });
    assertEquals(failures, []);
    const stayed = await compose.containers("server");
    assertEquals(stayed.length, INSTANCES);
    assert(leaving.every((id) => !stayed.includes(id)));
    await checkBooks();
  });

  it("starts in production on the site's PostgreSQL, with the root kept apart", async () => {
    await compose.run("down", "--volumes", "--timeout", "5");
    const site = await openSite();
    const production = composed(engine, call, PRODUCTION, {
      SABIKA_BASE_URL: `https://${NAME}`,
      SECRETS_FOLDER: site.secrets,
    });
    const operator = (...words: string[]) => production.run("run", "--rm", "-T", ...words);
    const { server: image } = await imagesOf(PRODUCTION);
    const atRoot = (...words: string[]) =>
      engine.docker(
        ...commandLine`run --rm --network none --volume ${site.apart}:/apart ${image!} node
          packages/operator/main.js authority ${words} --root /apart/root.key`,
      );
    try {
      await production.run("run", "--rm", "migrate");
      const request = await operator("operator", "authority", "request");
      await writeFile(join(site.apart, "issuing.csr"), request);
      await atRoot("create", "--environment", "production");
      await atRoot("issue", "/apart/issuing.csr", "--out", "/apart/issuing.pem");
      const mount = `${site.apart}/issuing.pem:/issuing.pem:ro`;
      await operator("-v", mount, "operator", "authority", "install", "/issuing.pem");
      await production.run(...up);
      const staying = ["server", "delivery", "keeper", "sidecar"];
      await production.healthy(await production.containers(...staying));
      assertStringIncludes(await certifiedNames(8443, NAME), `DNS:${NAME},`);
    } finally {
      testRecord.log("production", await production.run("logs", "--no-color").catch(String));
      await production.run("down", "--volumes", "--timeout", "5").catch(() => {});
      await site.close();
    }
  });
});

/** Reads the names in the certificate that a port of this machine shows for a server name. */
async function certifiedNames(port: number, servername: string): Promise<string> {
  // Only the names count here; the kits verify the authority.
  const socket = connect({ port, host: "127.0.0.1", servername, rejectUnauthorized: false });
  try {
    await once(socket, "secureConnect");
    return `${socket.getPeerCertificate().subjectaltname},`;
  } finally {
    socket.destroy();
  }
}
