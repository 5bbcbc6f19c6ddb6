import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Database, openDatabase } from "@sabika/database";
import { type Stack, startStack } from "@sabika/deployment";
import { random } from "../random.ts";
import { connect, type Target } from "../loader/connection.ts";
import type { LoadResult } from "../loader/drive.ts";
import type { Loader } from "../loader/start_loader.ts";
import { askToken } from "./call.ts";
import { givePlenty } from "./give_plenty.ts";
import { makeQuotes } from "./quotes.ts";
import { type SmallestEnvoy, startSmallestEnvoy } from "./smallest_envoy.ts";

/** The stack with one server and one partner, whose money never ends. */
export interface StackSite {
  readonly stack: Stack;
  readonly database: Database;
  /** Where the stack's Envoy listens. */
  readonly port: number;
  /** Starts another Envoy beside the stack's; it ends with the site. */
  startSmallestEnvoy(): Promise<SmallestEnvoy>;
  /** Has the partner send orders. */
  run(loader: Loader, run: StackRun): Promise<LoadResult>;
  close(): Promise<void>;
}

export interface StackRun {
  /** Of the Envoy that takes the orders; the stack's own when left out. */
  port?: number;
  seconds: number;
  connections: number;
  /** Called when the first order is sent. */
  onGo?: () => void;
}

const MOST_ORDERS_A_SECOND = 9_000;

/** Starts the production shape on this machine; some seconds. */
export async function openStackSite(): Promise<StackSite> {
  const folder = await mkdtemp(join(tmpdir(), "sabika-stack-bench-"));
  const stack = await startStack(
    { dataFolder: join(folder, "data"), instances: 1, partners: 1, port: 0 },
    { now: Date.now, random },
  );
  const database = openDatabase(stack.databaseUrl, { maxConnections: 2 });
  const partner = await readPartner(database, stack.kits[0]!);
  await givePlenty(database);
  const port = Number(new URL(stack.baseUrl).port);
  const targetAt = (at: number): Target => ({
    kind: "tls",
    host: "127.0.0.1",
    port: at,
    ...partner.tls,
  });
  const others: SmallestEnvoy[] = [];
  return {
    stack,
    database,
    port,
    async startSmallestEnvoy() {
      const other = await startSmallestEnvoy(stack.sidecarFolder);
      others.push(other);
      await untilAnswers(targetAt(other.port));
      return other;
    },
    async run(loader, { port: at = port, seconds, connections, onGo }) {
      const orders = MOST_ORDERS_A_SECOND * seconds;
      const [quoteIds] = await makeQuotes(database.sql, [partner.partnerId], orders);
      const { ca, certificate: cert, key } = partner.tls;
      const accessToken = await askToken(
        { host: "127.0.0.1", port, ca, cert, key },
        partner.clientId,
        partner.clientSecret,
      );
      const { signingKey, signingKeyId } = partner;
      return await loader.run({
        target: targetAt(at),
        baseUrl: stack.baseUrl,
        connections,
        seconds,
        lanes: [{ accessToken, signingKey, signingKeyId, headers: {}, quoteIds: quoteIds! }],
      }, onGo);
    },
    async close() {
      for (const other of others) await other.stop();
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
