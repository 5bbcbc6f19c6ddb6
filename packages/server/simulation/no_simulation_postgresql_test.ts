import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { assertEquals } from "@std/assert";
import { openDatabase } from "@sabika/database";
import { readMasterKeys } from "@sabika/identity/secrets";
import { createFixedPrice } from "@sabika/service/prices";
import { migrate } from "@sabika/service/schema";
import { SIMULATION_NAMES, SIMULATIONS } from "@sabika/protocol";
import { createService } from "@sabika/server";
import { actAs } from "../../../test/support/acts.ts";
import { objectOf } from "../../../test/support/answers.ts";
import { openRaw, type RawRequest } from "../../../test/support/raw_https.ts";
import { admitWithGold } from "../../../test/support/service_partner.ts";
import {
  BASE_URL,
  read,
  signed,
  tokenRequest,
  write,
} from "../../../test/support/service_requests.ts";
import { makeServerRole } from "../../../test/support/server_role.ts";
import { adminOn, random } from "../../../test/support/test_admin.ts";
import { testRecord } from "../../../test/secret_search/record.ts";
import { runPostgreSQL } from "../../../tools/programs/run_postgresql.ts";

// Decision D55: none of the simulations exists in production. A whole instance as production has it,
// on a durable database and behind the sidecar's socket, with the test in the sidecar's place.

const folder = await mkdtemp(join(tmpdir(), "sabika-production-"));
const EDGE_SECRET = "e".repeat(32);
const edgeSecretFile = join(folder, "edge");
await writeFile(edgeSecretFile, EDGE_SECRET, { mode: 0o600 });
const postgresql = await runPostgreSQL({ durable: true, folder: join(folder, "data") });
const database = openDatabase(postgresql.url, { maxConnections: 4 });
const databaseUrl = await makeServerRole(database, postgresql.url);
await migrate(database);
const admin = await adminOn(database, "production", Date.now);
const bank = await admitWithGold(admin, "bank-a", 100_000_000_000n);
await actAs(admin, "funding.credit", {
  partner: bank.clientId,
  amount_sar: "1000000",
  reference: "first",
});
const path = join(folder, "app.sock");
const service = createService({
  environment: "production",
  baseUrl: BASE_URL,
  databaseUrl,
  masterKeys: readMasterKeys(admin.masterKeyText),
  listen: { kind: "sidecar", address: { path }, edgeSecretFile },
  deliverWebhooks: false,
  drainSeconds: 0,
}, { now: Date.now, random, prices: createFixedPrice({ midTenThousandths: 4_000_000n }) });
testRecord.secretsIn(admin.masterKeyText, EDGE_SECRET);
await service.start();
const connection = await openRaw({ path });
after(async () => {
  connection.close();
  await service.stop();
  await database.close();
  await postgresql.stop();
  await rm(folder, { recursive: true, force: true });
});

const [certificate] = await database.sql<{ hash: string }[]>`
  select encode(certificate_hash, 'hex') as hash from certificates`;
/** Sends it as the sidecar hands it on. */
function send(request: RawRequest, ...more: (readonly [string, string])[]) {
  const headers = [
    ...request.headers,
    ...more,
    ["X-Forwarded-Client-Cert", `Hash=${certificate!.hash}`],
    ["X-Sabika-Edge", EDGE_SECRET],
    ["X-Sabika-Peer-Address", "127.0.0.1"],
  ] as const;
  return connection.send({ ...request, headers });
}
const token = String(objectOf(await send(tokenRequest(bank))).get("access_token"));

const QUOTE = '{"side":"buy","gold_grams":0.5}';
/** A request of each kind, and the status that it has whatever its headers ask for. */
const REQUESTS: Record<string, readonly [number, () => Promise<RawRequest> | RawRequest]> = {
  "every request": [200, () => read("/v1/balances", token)],
  "GET /v1/prices": [200, () => read("/v1/prices", token)],
  "POST /v1/quotes": [201, () => write("/v1/quotes", token, QUOTE)],
  "POST /v1/orders": [201, async () => {
    const quote = objectOf(await send(write("/v1/quotes", token, QUOTE))).get("id");
    return await signed(bank, "/v1/orders", token, `{"quote_id":"${quote}"}`);
  }],
  "POST /v1/withdrawals": [201, () => signed(bank, "/v1/withdrawals", token, '{"amount_sar":5}')],
  "POST /v1/withdrawals/{id}/cancel": [201, async () => {
    const request = await signed(bank, "/v1/withdrawals", token, '{"amount_sar":5}');
    const path = `/v1/withdrawals/${objectOf(await send(request)).get("id")}/cancel`;
    return await signed(bank, path, token, "{}");
  }],
  "POST /v1/signed-probe": [200, () => signed(bank, "/v1/signed-probe", token, "{}")],
};

for (const name of [...SIMULATION_NAMES, "no_such_name"]) {
  test(`in production Sabika-Simulate: ${name} does nothing`, async () => {
    const { on } = SIMULATIONS[name as keyof typeof SIMULATIONS] ?? { on: "every request" };
    // There is no such route in production
    for (const route of [on].flat().filter((one) => one !== "POST /sandbox/fund")) {
      const [status, make] = REQUESTS[route]!;
      const answer = await send(await make(), ["Sabika-Simulate", name]);
      assertEquals([route, answer.status], [route, status], answer.body);
    }
  });
}

test("what was done in production is what was asked for, and nothing beside it", async () => {
  const asked = (route: string) =>
    SIMULATION_NAMES.filter((name) => SIMULATIONS[name].on.includes(route as never)).length;
  const [rows] = await database.sql`select (select count(*)::int from quotes) as quotes,
    (select count(*)::int from orders) as orders,
    (select count(*)::int from withdrawals) as withdrawals`;
  assertEquals({ ...rows }, {
    quotes: asked("POST /v1/quotes") + asked("POST /v1/orders"),
    orders: asked("POST /v1/orders"),
    withdrawals: asked("POST /v1/withdrawals") + asked("POST /v1/withdrawals/{id}/cancel"),
  });
});
