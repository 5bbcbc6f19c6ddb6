import { after, test } from "node:test";
import { assertEquals, assertRejects } from "@std/assert";
import type { Database } from "@sabika/database";
import { byForce } from "../../../test/support/by_force.ts";
import { openTestMarket, value } from "../../../test/support/test_market.ts";
import { admitTestPartner } from "../../../test/support/test_partner.ts";
import { closeEvidenceDays } from "./mod.ts";

const DAY_MS = 86_400_000;
const { database, app, trading, close } = await openTestMarket();
after(close);

test("a day is closed once every partner is in one of the cells that answer, and stays there", async () => {
  await byForce(database, "update schema_steps set applied_at = applied_at - interval '4 days'");
  const receivedAtMs = Date.now() - 2 * DAY_MS;
  const banks = [
    await admitTestPartner(database, { cashHalalas: 1_000_000_00n }),
    await admitTestPartner(database),
  ];
  const { id } = value(await trading.quote(banks[0]!.quote()));
  value(await trading.order(banks[0]!.order(id, { receivedAtMs })));
  const closeIn = (cells: readonly Pick<Database, "sql">[]) =>
    closeEvidenceDays({ control: app, cells: cells as Database[] }, Date.now());
  const closed = () =>
    database
      .sql`select to_char(day, 'YYYY-MM-DD') as day, requests from closed_evidence where requests > 0`;
  const move = (from: number, to: number) =>
    byForce(database, `update accounts set partner_id = ${to} where partner_id = ${from}`);

  // Their cell is away, or two have them.
  await assertRejects(() => closeIn([]), Error, "not every partner");
  await assertRejects(() => closeIn([app, app]), Error, "not every partner");
  // One leaves, and another comes, right after the cell has closed the day.
  const { partnerId } = banks[0]!;
  const sql = new Proxy(app.sql, {
    async apply(target, self, args) {
      const rows = await Reflect.apply(target, self, args);
      if (String(args[0]).includes("close_evidence_day")) await move(partnerId, 999);
      return rows;
    },
  });
  await assertRejects(() => closeIn([{ sql }]), Error, "a partner moves");
  await move(999, partnerId);
  assertEquals([...await closed()], []);
  await closeIn([app]);
  const day = new Date(receivedAtMs + 3 * 3_600_000).toISOString().slice(0, 10);
  assertEquals((await closed()).map((row) => ({ ...row })), [{ day, requests: 1n }]);
});
