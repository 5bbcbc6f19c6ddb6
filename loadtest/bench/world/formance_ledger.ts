import { spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { openDatabase } from "@sabika/database";
import { atEnd } from "../../../tools/programs/at_end.ts";
import { freePort } from "../../../tools/programs/free_port.ts";
import { inheritedMark } from "../../../tools/programs/marked_processes.ts";
import { endProcess, isRunning } from "../../../tools/programs/own_process.ts";
import type { RunningPostgreSQL } from "../../../tools/programs/run_postgresql.ts";
import type { Target } from "../loader/connection.ts";
import type { Post } from "../loader/job.ts";

/** All orders between one pair of accounts, or over pairs of one ledger, or over pairs with a ledger each. */
export type Spread = "hot" | "hundred" | "apart";

export interface FormanceLedger {
  readonly target: Target;
  readonly baseUrl: string;
  /** So many orders that were never sent, each with a reference of its own. */
  orders(spread: Spread, count: number): Post[];
  /** How many orders are in its books, by its own tables. */
  booked(): Promise<number>;
  stop(): Promise<void>;
}

const DATABASE = "formance";
const SHARED = "shared";
const PLENTY = 1_000_000_000_000_000;
/** An order's: 250.00 SAR one way, 0.500 g the other. */
const PRICE = 250_00;
const GRAMS = 500;

/**
 * Starts it on a database of its own of this server, with its own settings but for what only costs: no
 * telemetry, its log to a file, gin's release mode. Every pair of accounts then has plenty.
 *
 * @param program its path
 * @param pairs how many pairs of accounts there are
 * @throws Error with its last words when it does not come up
 */
export async function startFormanceLedger(
  postgresql: RunningPostgreSQL,
  program: string,
  pairs: number,
): Promise<FormanceLedger> {
  const admin = openDatabase(postgresql.socketUrl, { maxConnections: 1 });
  await admin.sql.unsafe(`create database ${DATABASE}`);
  await admin.close();
  const url = postgresql.socketUrl.replace("/postgres?", `/${DATABASE}?`);
  const folder = await mkdtemp(join(tmpdir(), "sabika-formance-"));
  const port = await freePort();
  const running = await startProcess(program, { url, folder, port });
  const baseUrl = `http://127.0.0.1:${port}`;
  const post = async ({ path, body }: Post) => {
    const headers = { "content-type": "application/json" };
    const answer = await fetch(baseUrl + path, { method: "POST", headers, body });
    return { status: answer.status, body: await answer.text() };
  };
  const stop = async () => {
    await running.stop();
    await rm(folder, { recursive: true });
  };
  try {
    for (const funding of fundings(pairs)) {
      const { status, body } = await post(funding);
      if (status !== 200) throw new Error(`Formance Ledger takes no money: ${status} ${body}`);
    }
  } catch (error) {
    await stop();
    throw error;
  }
  let made = 0;
  return {
    target: { kind: "tcp", host: "127.0.0.1", port },
    baseUrl,
    orders(spread, count) {
      return Array.from({ length: count }, (_, index) => {
        const pair = spread === "hot" ? 0 : index % pairs;
        return order(spread === "apart" ? ownLedger(pair) : SHARED, pair, `order-${++made}`);
      });
    },
    async booked() {
      const database = openDatabase(url, { maxConnections: 1 });
      const ledgers = [SHARED, ...Array.from({ length: pairs }, (_, pair) => ownLedger(pair))];
      const parts = ledgers.map((ledger) =>
        `select count(*) as orders from "${ledger}".transactions where reference like 'order-%'`
      );
      try {
        const [row] = await database.sql.unsafe<{ orders: number }[]>(
          `select sum(orders)::int as orders from (${parts.join(" union all ")}) as parts`,
        );
        return row!.orders;
      } finally {
        await database.close();
      }
    },
    stop,
  };
}

/** What an order is there: both transfers in one transaction, refused whole when one of them is. */
function order(ledger: string, pair: number, reference: string): Post {
  const [partner, house] = [`partners:${pair}`, `house:${pair}`];
  const postings = [
    { source: partner, destination: house, amount: PRICE, asset: "SAR/2" },
    { source: house, destination: partner, amount: GRAMS, asset: "GOLD/3" },
  ];
  return { path: `/${ledger}/transactions`, body: JSON.stringify({ postings, reference }) };
}

function ownLedger(pair: number): string {
  return `pair_${pair}`;
}

/** Money and gold from outside for each pair, in the shared ledger and in its own. */
function fundings(pairs: number): Post[] {
  return Array.from({ length: pairs }, (_, pair) =>
    [SHARED, ownLedger(pair)].map((ledger) => ({
      path: `/${ledger}/transactions`,
      body: JSON.stringify({
        postings: [
          { source: "world", destination: `partners:${pair}`, amount: PLENTY, asset: "SAR/2" },
          { source: "world", destination: `house:${pair}`, amount: PLENTY, asset: "GOLD/3" },
        ],
        reference: `funding-${pair}`,
      }),
    }))).flat();
}

/** Its log, a line a request, goes to a file: whoever read it would take time from what is measured. */
async function startProcess(
  program: string,
  { url, folder, port }: { url: string; folder: string; port: number },
) {
  const address = `127.0.0.1:${port}`;
  const logFile = join(folder, "log");
  const log = openSync(logFile, "w");
  const child = spawn(program, [
    ...["server", "start", "--server.http.bind_address", address],
    ...["--storage.driver", "postgres", "--storage.postgres.conn_string", url],
    "--telemetry-enabled=false",
    "--segment-enabled=false",
  ], {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: folder, GIN_MODE: "release", ...inheritedMark() },
    stdio: ["ignore", log, log],
  });
  closeSync(log);
  child.once("exit", atEnd(() => child.kill("SIGKILL")));
  const isUp = async () => (await fetch(`http://${address}/_health`)).ok;
  while (!await isUp().catch(() => false)) {
    if (!isRunning(child)) {
      const words = (await readFile(logFile, "utf8")).trim().slice(-2000);
      throw new Error(`Formance Ledger ended with ${child.exitCode}: ${words}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return { stop: () => endProcess(child, "SIGTERM") };
}
