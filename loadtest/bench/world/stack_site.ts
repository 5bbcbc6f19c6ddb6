import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { type Database, openDatabase } from "@sabika/database";
import { type Stack, startStack } from "@sabika/deployment";
import { RUNTIME_ARGUMENTS } from "../../../tools/programs/own_process.ts";
import { mustRun } from "../../../tools/programs/run_program.ts";
import { random } from "../random.ts";
import type { Target } from "../loader/connection.ts";
import type { LoadResult } from "../loader/drive.ts";
import type { Loader } from "../loader/start_loader.ts";
import { askToken } from "./call.ts";
import { givePlenty } from "./give_plenty.ts";
import { makeQuotes } from "./quotes.ts";

/** The stack with one server and one partner, which has more money than it can spend. */
export interface StackSite {
  readonly stack: Stack;
  readonly database: Database;
  /** Sends orders of the partner. */
  run(loader: Loader, run: StackRun): Promise<LoadResult>;
  close(): Promise<void>;
}

interface StackRun {
  orders: number;
  connections: number;
  /** Of a server in the stack's place, with its certificate; by default the stack's own. */
  port?: number;
  /** Called and awaited before the first order is sent. */
  onGo?: () => Promise<void>;
}

/** Longer than any run, which ends with its orders. */
const MOST_SECONDS = 600;

/** Builds the service and starts a stack of it as in production on this machine, which takes some seconds. */
export async function openStackSite(): Promise<StackSite> {
  const folder = await mkdtemp(join(tmpdir(), "sabika-stack-bench-"));
  const built = join(folder, "built");
  const build = [...RUNTIME_ARGUMENTS, "tools/build/main.ts", "--out", built];
  await mustRun(process.execPath, build);
  const stack = await startStack(
    { dataFolder: join(folder, "data"), instances: 1, partners: 1, port: 0, built },
    { now: Date.now, random },
  );
  const database = openDatabase(stack.databaseUrl, { maxConnections: 2 });
  const partner = await readPartner(database, stack.kits[0]!);
  await givePlenty(database);
  const port = Number(new URL(stack.baseUrl).port);
  const target: Target & { kind: "tls" } = {
    kind: "tls",
    host: "127.0.0.1",
    port,
    ...partner.tls,
  };
  return {
    stack,
    database,
    async run(loader, { orders, connections, port: other = port, onGo }) {
      const [quoteIds] = await makeQuotes(database.sql, [partner.partnerId], orders);
      const { ca, certificate: cert, key } = partner.tls;
      const accessToken = await askToken(
        { host: "127.0.0.1", port, ca, cert, key },
        partner.clientId,
        partner.clientSecret,
      );
      const { signingKey, signingKeyId } = partner;
      return await loader.run({
        target: { ...target, port: other },
        baseUrl: stack.baseUrl,
        connections,
        seconds: MOST_SECONDS,
        lanes: [{ accessToken, signingKey, signingKeyId, headers: {}, quoteIds: quoteIds! }],
      }, onGo);
    },
    async close() {
      await database.close();
      await stack.stop();
      await rm(folder, { recursive: true });
    },
  };
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
