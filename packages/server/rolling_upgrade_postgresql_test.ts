import { after, test } from "node:test";
import { assertEquals, assertNotEquals, assertRejects } from "@std/assert";
import { migrateDatabase } from "@sabika/office/people";
import { reconcile } from "@sabika/service/ledger";
import { readSchemaRelease, SchemaError } from "@sabika/service/schema";
import { objectOf } from "../../test/support/answers.ts";
import { openRaw, sendRaw } from "../../test/support/raw_https.ts";
import { nextRelease, sourceHash } from "../../test/support/schema_releases.ts";
import { until } from "../../test/support/until.ts";
import { signed, tokenRequest, write } from "../../test/support/service_requests.ts";
import { startTestService } from "../../test/support/test_service.ts";

const service = await startTestService({ instances: 2 });
const { database } = service.test;
const [bank] = service.partners;
const ours = await readSchemaRelease();
const next = nextRelease(ours);
after(() => service.close());

test("the next release migrates under load and no order fails; servers go back to ours", async () => {
  const token = await service.token(bank);
  const funded = await sendRaw(
    service.caller(bank),
    write("/sandbox/fund", token, '{"amount_sar":1000000}'),
  );
  assertEquals(funded.status, 201, funded.body);
  const statuses: number[] = [];
  let going = true;
  const caller = async (instance: number) => {
    const connection = await openRaw(service.caller(bank, instance));
    while (going) {
      const buy = write("/v1/quotes", token, '{"side":"buy","gold_grams":0.01}');
      const quote = objectOf(await connection.send(buy));
      const body = `{"quote_id":"${quote.get("id")}"}`;
      statuses.push(
        (await connection.send(await signed(bank, "/v1/orders", token, body))).status,
      );
    }
    connection.close();
  };
  const callers = Promise.all([0, 1, 0, 1].map(caller));
  await until(() => statuses.length >= 20);
  const before = await sourceHash(database);
  const actor = { who: "tester", from: "test" };
  await migrateDatabase({ database, actor, now: Date.now }, next);
  assertNotEquals(await sourceHash(database), before);
  const atMigration = statuses.length;

  // Back: a server of ours is started on the next release's database.
  const back = service.createInstance(() => {});
  const { port } = await back.start();
  const answer = await sendRaw({ ...service.caller(bank), port: port! }, tokenRequest(bank));
  assertEquals(answer.status, 200, answer.body);
  await back.stop();
  await until(() => statuses.length >= atMigration + 20);
  going = false;
  await callers;
  assertEquals(statuses.filter((status) => status !== 201), []);
  assertEquals(await reconcile(database), []);

  // Contract: a release that no longer serves ours.
  const last = nextRelease(next, { servesFrom: next.version, migrations: next.migrations });
  await migrateDatabase({ database, actor, now: Date.now }, last);
  const late = service.createInstance(() => {});
  await assertRejects(() => late.start(), SchemaError, "update it");
});
