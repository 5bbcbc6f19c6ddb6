import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  createFileKeys,
  makeServerCertificate,
  openDeployment,
  readMasterKeys,
} from "@sabika/core/partners";
import { type Database, openDatabase } from "@sabika/core/store";
import { SERVER_RUNTIME, type Stack, startStack } from "@sabika/deployment";
import { freePort } from "../../../tools/programs/free_port.ts";
import { random } from "../random.ts";
import { askToken } from "./call.ts";
import { connect, type Target } from "../loader/connection.ts";
import type { Loader } from "../loader/start_loader.ts";
import { givePlenty } from "./give_plenty.ts";
import { startOtherEnvoy } from "./other_envoy.ts";
import { makeQuotes } from "./quotes.ts";
import { type ServiceProcess, startService } from "./service_process.ts";

/** The stack with one server and partners whose money never ends. */
export type StackSite = Awaited<ReturnType<typeof openStackSite>>;

/** How a run goes; `onGo` is called when the first order is sent. */
export interface StackRun {
  seconds: number;
  connections: number;
  onGo?: () => void;
  /** Which partner orders; the first when left out. */
  partner?: number;
  /** Orders a second by the clock; as fast as answers come when left out. */
  pace?: number;
  /** The statuses that may come; 201 alone when left out. */
  expected?: number[];
}

const MOST_ORDERS_A_SECOND = 9_000;

/** Starts the production shape on this machine; some seconds. */
export async function openStackSite(count = 1) {
  const folder = await mkdtemp(join(tmpdir(), "sabika-stack-bench-"));
  const dataFolder = join(folder, "data");
  const stack = await startStack(
    { dataFolder, instances: 1, partners: count, port: 0 },
    { now: Date.now, random },
  );
  const database = openDatabase(stack.databaseUrl, { maxConnections: 2 });
  const partners = await Promise.all(stack.kits.map((kit) => readPartner(database, kit)));
  const [partner] = partners as [Partner];
  await givePlenty(database);
  const port = Number(new URL(stack.baseUrl).port);
  let own: ServiceProcess | undefined;
  const others: (() => Promise<void>)[] = [];
  return {
    stack,
    database,
    partnerIds: partners.map(({ partnerId }) => partnerId),
    /** Where the first partner meets Envoy. */
    envoy: targetOf(partner, port),
    /** Where a partner meets an Envoy on this port; the stack's when left out. */
    targetOf: (which: number, at = port) => targetOf(partners[which]!, at),
    /** Starts a second server on the same database, with its own mutual TLS. */
    async startOwnTls() {
      const started = await startOwnTls(stack, dataFolder, folder, partner);
      own = started.process;
      return started;
    },
    /** Starts another Envoy beside the stack's; it is ended with it. */
    async startOtherEnvoy(...[kind, limits]: OtherEnvoyArguments) {
      const { pid, port, stop } = await startOtherEnvoy(stack.sidecarFolder, kind, limits);
      others.push(stop);
      const target = targetOf(partner, port);
      await untilAnswers(target);
      return { pid, port, target };
    },
    async run(
      loader: Loader,
      target: Target,
      { seconds, connections, onGo, partner: which = 0, ...paced }: StackRun,
    ) {
      const { partnerId, tls, ...caller } = partners[which]!;
      const count = Math.ceil((paced.pace ?? MOST_ORDERS_A_SECOND) * seconds);
      const [quoteIds] = await makeQuotes(database.sql, [partnerId], count);
      const { ca, certificate: cert, key } = tls;
      return await loader.run({
        ...{ target, baseUrl: stack.baseUrl, connections, seconds, ...paced },
        lanes: [{
          accessToken: await askToken(
            { host: "127.0.0.1", port, ca, cert, key },
            caller.clientId,
            caller.clientSecret,
          ),
          signingKey: caller.signingKey,
          signingKeyId: caller.signingKeyId,
          headers: {},
          quoteIds: quoteIds!,
        }],
      }, onGo);
    },
    async close() {
      await own?.stop();
      for (const stop of others) await stop();
      await database.close();
      await stack.stop();
      await rm(folder, { recursive: true });
    },
  };
}

/** Until a connection with the partner's certificate is taken. */
async function untilAnswers(target: Target): Promise<void> {
  for (let turn = 0;; turn++) {
    try {
      return (await connect(target, () => undefined)).close();
    } catch (error) {
      if (turn === 200) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

type OtherEnvoyArguments = Parameters<typeof startOtherEnvoy> extends [string, ...infer More] ? More
  : never;

type Partner = Awaited<ReturnType<typeof readPartner>>;

async function readPartner({ sql }: Database, kit: string) {
  const read = (name: string) => readFile(join(kit, name), "utf8");
  const { client_id, client_secret, signing_key_id } = JSON.parse(await read("partner.json"));
  const [row] = await sql<{ id: number }[]>`
    select partner_id as id from partners where client_id = ${client_id as string}`;
  return {
    partnerId: row!.id,
    clientId: client_id as string,
    clientSecret: client_secret as string,
    signingKeyId: signing_key_id as string,
    signingKey: await read("signing.key"),
    tls: {
      ca: await read("ca.crt"),
      certificate: await read("client.crt"),
      key: await read("client.key"),
    },
  };
}

function targetOf({ tls }: Partner, port: number): Target {
  return { kind: "tls", host: "127.0.0.1", port, ...tls };
}

/** A second server on the stack's database and base URL, with a listener of its own. */
async function startOwnTls(
  stack: Stack,
  dataFolder: string,
  folder: string,
  partner: Partner,
): Promise<{ target: Target; process: ServiceProcess }> {
  const masterKeyText = await readFile(join(dataFolder, "master.key"), "utf8");
  const database = openDatabase(stack.databaseUrl, { maxConnections: 1 });
  const { authorities } = await openDeployment({
    database,
    keys: createFileKeys({ masterKeys: readMasterKeys(masterKeyText), random }),
    environment: "sandbox",
    nowMs: Date.now(),
    random,
  });
  await database.close();
  const hosts = ["127.0.0.1"];
  const server = await makeServerCertificate({ authorities, hosts, nowMs: Date.now(), random });
  const files = {
    SABIKA_TLS_CERTIFICATE_FILE: server.certificatePem,
    SABIKA_TLS_KEY_FILE: server.keyPem,
    SABIKA_CLIENT_CA_FILE: authorities.clientCaPem,
  };
  const environment: Record<string, string> = {
    SABIKA_ENVIRONMENT: "sandbox",
    SABIKA_BASE_URL: stack.baseUrl,
    SABIKA_DATABASE_URL: stack.databaseUrl,
    SABIKA_MASTER_KEY: masterKeyText,
    SABIKA_ACCESS_LOG: "refusals",
    ...SERVER_RUNTIME,
  };
  for (const [name, text] of Object.entries(files)) {
    environment[name] = join(folder, name.toLowerCase());
    await writeFile(environment[name], text, { mode: 0o600 });
  }
  const port = await freePort();
  environment.SABIKA_LISTEN = `127.0.0.1:${port}`;
  const target = targetOf(partner, port);
  const answers = async () => {
    (await connect(target, () => undefined)).close();
    return true;
  };
  return { target, process: await startService("packages/server/main.ts", environment, answers) };
}
