import { after, test } from "node:test";
import { assertEquals } from "@std/assert";
import { holdLock } from "../../test/support/hold_lock.ts";
import { openRaw } from "../../test/support/raw_https.ts";
import { codeOf } from "../../test/support/answers.ts";
import { read, write } from "../../test/support/service_requests.ts";
import { startTestService } from "../../test/support/test_service.ts";

const service = await startTestService();
after(service.close);
const [slow, quick] = service.partners;

test("slow reads do not delay another partner's trade", async () => {
  const [slowToken, quickToken] = [await service.token(slow), await service.token(quick)];
  const release = await holdLock(
    service.admin.database,
    (sql) => sql`lock table event_deliveries in access exclusive mode`,
  );

  // More of them than there are connections of either kind.
  const connections = await Promise.all(
    Array.from({ length: 16 }, () => openRaw(service.caller(slow))),
  );
  const lists = connections.map((connection) =>
    connection.send(read("/v1/events?status=exhausted", slowToken))
  );
  const waiting = () =>
    service.test.database.sql<[{ count: number }]>`
      select count(*)::int as count from pg_locks where not granted`;
  while ((await waiting())[0].count < 4);
  const trade = await openRaw(service.caller(quick));
  const answer = await trade.send(write("/v1/quotes", quickToken, '{"side":"buy","gold_grams":1}'));
  assertEquals([answer.status, codeOf(answer)], [201, "ok"]);
  assertEquals((await waiting())[0].count > 0, true);

  await release();
  for (const list of await Promise.all(lists)) assertEquals(list.status, 200);
  for (const connection of [...connections, trade]) connection.close();
});
