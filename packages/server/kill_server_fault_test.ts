import { after, test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { reconcile } from "@sabika/service/ledger";
import { freePort } from "../../tools/programs/free_port.ts";
import {
  openRaw,
  type RawCaller,
  type RawConnection,
  type RawRequest,
  type RawResponse,
  sendRaw,
} from "../../test/support/raw_https.ts";
import { testRecord } from "../../test/secret_search/record.ts";
import { signed, write } from "../../test/support/service_requests.ts";
import { startTestService } from "../../test/support/test_service.ts";
import { ownTlsEnvironment, spawnServer } from "../../test/support/server/server_process.ts";

// A server of its own process, killed with SIGKILL under load and started again (faults F03 to
// F05 and F20): no acknowledged order is lost, and none is carried out twice.

const KILLS = 5;
const WORKERS = 12;

const service = await startTestService();
const [bank] = service.partners;
const folder = await mkdtemp(join(tmpdir(), "sabika-kill-"));
const port = await freePort();
const caller: RawCaller = { ...service.caller(bank), port };
const environment = await ownTlsEnvironment(service, folder, port);
let child: ChildProcess | undefined;
after(async () => {
  child?.kill("SIGKILL");
  await service.close();
  await rm(folder, { recursive: true });
});

async function startChild(): Promise<void> {
  const started = spawnServer(environment);
  child = started;
  started.stderr.pipe(process.stderr);
  started.stdout.setEncoding("utf8").on("data", (text) => testRecord.log("server", text));
  // Its first line says that it serves.
  await once(started.stdout, "data");
}

test("a server killed under load neither loses nor doubles an acknowledged order", async () => {
  const token = await service.token(bank);
  const funding = write("/sandbox/fund", token, '{"amount_sar":9000000}');
  assertEquals((await sendRaw(service.caller(bank), funding)).status, 201);
  await service.admin.database.sql`
    update partners set open_quotes_limit = 100000 where partner_id = ${bank.partnerId}::integer`;
  await startChild();

  /** By key: what was acknowledged, or that nobody knows. */
  const answers = new Map<string, RawResponse | "unknown">();
  const bodies = new Map<string, string>();
  let stopped = false;
  const worker = async () => {
    let connection: RawConnection | undefined;
    while (!stopped) {
      try {
        connection ??= await openRaw(caller);
        const quoted = await connection.send(
          write("/v1/quotes", token, '{"side":"buy","gold_grams":0.01}'),
        );
        if (quoted.status !== 201) continue;
        const key = crypto.randomUUID();
        const body = `{"quote_id":"${JSON.parse(quoted.body).id}"}`;
        bodies.set(key, body);
        answers.set(key, "unknown");
        answers.set(key, await connection.send(await order(key, body, token)));
      } catch {
        connection?.close();
        connection = undefined;
        // Until it is there again there is nothing to do but to try.
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    }
    connection?.close();
  };
  const workers = Array.from({ length: WORKERS }, worker);
  for (let n = 0; n < KILLS; n++) {
    const before = executed(answers);
    // Somewhere in the middle of many orders.
    await until(() => executed(answers) >= before + 40 + 13 * n);
    child!.kill("SIGKILL");
    await once(child!, "exit");
    await startChild();
  }
  await until(() => executed(answers) > 0);
  stopped = true;
  await Promise.all(workers);

  const unknown = [...answers].filter(([, answer]) => answer === "unknown").map(([key]) => key);
  for (const [key, answer] of answers) {
    if (answer !== "unknown" && answer.status >= 500) unknown.push(key);
  }
  assert(executed(answers) > KILLS * 40, `${executed(answers)} executed`);
  const direct = await openRaw(service.caller(bank));
  // What was acknowledged is still there, byte for byte; what nobody knows is now known.
  for (const [key, answer] of answers) {
    const again = await direct.send(await order(key, bodies.get(key)!, token));
    if (answer !== "unknown" && answer.status < 300) {
      assertEquals([again.status, again.body], [200, answer.body]);
    } else assert([200, 201, 409].includes(again.status), again.body);
  }
  direct.close();
  const { sql } = service.test.database;
  const [counts] = await sql<{ orders: number; quotes: number; keys: number; events: number }[]>`
    select count(*)::int as orders, count(distinct quote_id)::int as quotes,
      (select count(*)::int from idempotency_keys where resource_kind = 'order') as keys,
      (select count(*)::int from events where type = 'order.executed') as events
    from orders`;
  const { orders } = counts!;
  assertEquals(counts, { orders, quotes: orders, keys: orders, events: orders });
  assert(orders >= executed(answers));
  assertEquals(await reconcile(service.test.database, {}), []);
  console.log(`${orders} orders, ${KILLS} kills, ${unknown.length} answers lost and found again`);
});

function order(key: string, body: string, token: string): Promise<RawRequest> {
  return signed(bank, "/v1/orders", token, body, { headers: { "Idempotency-Key": key } });
}

function executed(answers: ReadonlyMap<string, RawResponse | "unknown">): number {
  let count = 0;
  for (const answer of answers.values()) {
    if (answer !== "unknown" && answer.status === 201) count++;
  }
  return count;
}

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((resolve) => setTimeout(resolve, 5));
}
