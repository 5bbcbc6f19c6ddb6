import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, test } from "node:test";
import { assertEquals } from "@std/assert";
import { openDatabase } from "@sabika/database";
import { readMasterKeys } from "@sabika/identity/secrets";
import { setFixedPrice } from "../../../test/support/fixed_price.ts";
import { migrate } from "@sabika/service/schema";
import { createService } from "@sabika/server";
import { actAs } from "../../../test/support/acts.ts";
import { temporaryFolder } from "../../../test/support/temporary_folder.ts";
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

const [certificate] = await database.sql<{ hash: string }[]>`
  select encode(certificate_hash, 'hex') as hash from certificates`;
/** Sends a request as the sidecar forwards it. */
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

test("in production Sabika-Simulate does nothing, whatever it names", async () => {
  const quoting = write("/v1/quotes", token, '{"side":"buy","gold_grams":0.5}');
  for (const name of ["no_such_name", "internal_error", "lost_answer"]) {
    assertEquals((await send(read("/v1/balances", token), ["Sabika-Simulate", name])).status, 200);
  }
  const quoted = await send(quoting, ["Sabika-Simulate", "old_quote"]);
  const body = `{"quote_id":"${objectOf(quoted).get("id")}"}`;
  const order = await signed(bank, "/v1/orders", token, body);
  const executed = await send(order, ["Sabika-Simulate", "insufficient_funds"]);
  assertEquals([quoted.status, executed.status], [201, 201], executed.body);
});
