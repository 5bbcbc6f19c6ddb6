/** Invariant I6: what was acknowledged is still there after a power cut of the database. */
import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { openDatabase } from "@sabika/database";
import type { OrderCommand } from "@sabika/service/batches";
import { createFixedPrice } from "@sabika/service/prices";
import { migrate } from "@sabika/service/schema";
import { createTrading } from "@sabika/service/trading";
import { runPostgreSQL } from "../tools/programs/run_postgresql.ts";
import { admitTestPartner, random } from "../test/support/test_partner.ts";

const CALLERS = 16;
const BEFORE_THE_CUT = 300;

test("kill -9 of the database loses no acknowledged order, and the others happen once", {
  timeout: 60_000,
}, async () => {
  const server = await runPostgreSQL({ durable: true });
  const database = openDatabase(server.socketUrl, { maxConnections: 4 });
  try {
    await migrate(database);
    const prices = createFixedPrice({ midTenThousandths: 4_850_000n });
    const trading = createTrading({ database, prices, random, now: Date.now });
    const partner = await admitTestPartner(database, {
      cashHalalas: 1_000_000_000_000n,
      settings: { openQuotesLimit: 1_000_000 },
    });

    const acknowledged: string[] = [];
    const unknown: OrderCommand[] = [];
    let cut: Promise<void> | undefined;
    await Promise.all(Array.from({ length: CALLERS }, async () => {
      while (cut === undefined) {
        const quoted = await trading.quote(partner.quote());
        if (!quoted.ok) return;
        const command = partner.order(quoted.value.id);
        const outcome = await trading.order(command);
        if (outcome.ok) acknowledged.push(outcome.value.id);
        else unknown.push(command);
        if (acknowledged.length >= BEFORE_THE_CUT) {
          cut ??= server.kill().then(() => server.restart());
        }
      }
    }));
    await cut;

    const stored = async () => {
      const rows = await database.sql<{ id: string }[]>`
        select 'ord_' || order_id as id from orders where partner_id = ${partner.partnerId}`;
      return new Set(rows.map((row) => row.id));
    };
    await waitUntilServing(stored);
    const kept = await stored();
    assertEquals(acknowledged.filter((id) => !kept.has(id)), []);

    // Signed afresh with the same key: executed once, whether or not the first try had been.
    for (const command of unknown) {
      const nonce = { ...command.nonce, value: crypto.randomUUID() };
      const again = await trading.order({ ...command, nonce });
      assertEquals(again.ok || again.code, true);
    }
    assertEquals((await stored()).size, acknowledged.length + unknown.length);
    const [books] = await database.sql<{ total: bigint; cash: bigint }[]>`
      select (select sum(total_halalas)::bigint from orders) as total, cash_halalas as cash
      from accounts where partner_id = ${partner.partnerId}`;
    assertEquals(books!.total + books!.cash, 1_000_000_000_000n);
  } finally {
    await database.close();
    await server.stop();
  }
});

/** The pool may still hold connections of before; the first use finds them broken. */
async function waitUntilServing(use: () => Promise<unknown>): Promise<void> {
  for (let attempt = 1;; attempt++) {
    try {
      await use();
      return;
    } catch (error) {
      if (attempt === 20) throw error;
    }
  }
}
