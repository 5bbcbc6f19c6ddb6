import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, test } from "node:test";
import { assertEquals, assertRejects } from "@std/assert";
import { SIMULATION_NAMES } from "@sabika/protocol";
import { openDatabase } from "@sabika/database";
import { readMasterKeys } from "@sabika/identity/secrets";
import { setFixedPrice } from "../../../test/support/fixed_price.ts";
import { migrate } from "@sabika/service/schema";
import { createService } from "@sabika/server";
import { actAs } from "../../../test/support/acts.ts";
import { temporaryFolder } from "../../../test/support/temporary_folder.ts";
import { codeOf, objectOf } from "../../../test/support/answers.ts";
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
import { random } from "../../../test/support/random.ts";
import { adminOn } from "../../../test/support/test_admin.ts";
import { testRecord } from "../../../test/secret_search/record.ts";
import { runPostgreSQL } from "../../../tools/programs/run_postgresql.ts";

// Decision D55: none of the simulations exists in production. A whole instance as production has it,
// on a durable database and behind the sidecar's socket, with the test in the sidecar's place.

const folder = temporaryFolder();
const EDGE_SECRET = "e".repeat(32);
const edgeSecretFile = join(folder, "edge");
await writeFile(edgeSecretFile, EDGE_SECRET, { mode: 0o600 });
const postgresql = await runPostgreSQL({ durable: true, folder: join(folder, "data") });
const database = openDatabase(postgresql.url, { maxConnections: 4 });
const databaseUrl = await makeServerRole(database, postgresql.url);
await migrate(database);
const admin = await adminOn(database, "production", Date.now);
await actAs(admin, "refiner.unlisted", { unlisted: "take_in" });
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
}, { now: Date.now, random, prices: await setFixedPrice(database, 4_000_000n) });
testRecord.secretsIn(admin.masterKeyText, EDGE_SECRET);
await service.start();
const connection = await openRaw({ path });
after(async () => {
  connection.close();
  await service.stop();
  await database.close();
  await postgresql.stop();
});

/** Sends a request as the sidecar forwards it. */
function send(request: RawRequest, ...more: (readonly [string, string])[]) {
  const headers = [
    ...request.headers,
    ...more,
    ["X-Forwarded-Client-Cert", `Hash=${bank.certificate.hashHex}`],
    ["X-Sabika-Edge", EDGE_SECRET],
    ["X-Sabika-Peer-Address", "127.0.0.1"],
  ] as const;
  return connection.send({ ...request, headers });
}
const token = String(objectOf(await send(tokenRequest(bank))).get("access_token"));

test("production refuses each simulation, and carries nothing out", async () => {
  const { sql } = database;
  const counts = async () => {
    const [row] =
      await sql`select (select count(*) from quotes) as quotes, (select count(*) from orders) as orders,
      (select count(*) from transfers) as transfers, (select count(*) from withdrawals) as withdrawals,
      (select count(*) from events) as events, (select count(*) from nonces) as nonces`;
    return { ...row };
  };
  const quoted = await send(write("/v1/quotes", token, '{"side":"buy","gold_grams":0.5}'));
  const body = `{"quote_id":"${objectOf(quoted).get("id")}"}`;
  const order = () => signed(bank, "/v1/orders", token, body);
  const before = await counts();
  for (const name of [...SIMULATION_NAMES, "no_such_name"]) {
    for (const request of [read("/v1/balances", token), await order()]) {
      const refused = await send(request, ["Sabika-Simulate", name]);
      assertEquals([refused.status, codeOf(refused)], [400, "simulation_invalid"], name);
    }
  }
  assertEquals(await counts(), before);
  assertEquals((await send(await order())).status, 201);
});

test("production's database refuses to fund and to set a scenario (F51)", async () => {
  const app = openDatabase(databaseUrl, { maxConnections: 1 });
  try {
    const id = bank.partnerId;
    const statements = [
      app.sql`select simulate_price(${id}::integer, '{"opens":"00:00","closes":"00:00"}')`,
      app.sql`select simulate_clock(${id}::integer, 1)`,
      app.sql`select * from fund_sandbox(array[${id}::integer], array[gen_random_uuid()],
        array[gen_random_uuid()], array['k'], array['p'], array[100::bigint])`,
    ];
    for (const statement of statements) {
      await assertRejects(async () => void await statement, Error, "production");
    }
    for (const statement of ["insert into scenario default values", "delete from scenario"]) {
      await assertRejects(() => app.sql.unsafe(statement), Error, "permission denied");
    }
  } finally {
    await app.close();
  }
});
