/** (D53) A cell whose schema Citus distributes: on a coordinator and two workers, where Citus is installed. */
import { after, before, test } from "node:test";
import { readFile } from "node:fs/promises";
import { assert, assertEquals, assertRejects } from "@std/assert";
import { type Database, openDatabase } from "@sabika/database";
import { type CitusCluster, runCitus, whyNoCitus } from "../../../test/support/citus_cluster.ts";
import { admitTestPartner, random, type TestPartner } from "../../../test/support/test_partner.ts";
import { openTestSchema, type TestSchema } from "../../../test/support/test_schema.ts";
import { reconcile } from "../ledger/reconcile.ts";
import { createFixedPrice } from "../prices/fixed.ts";
import { createTrading } from "./create_trading.ts";

const skip = await whyNoCitus();
const prices = createFixedPrice({ midTenThousandths: 4_850_000n });
const inSchema = (url: string) => `${url}&options=-csearch_path%3Dcell_b`;
const tradingOf = (database: Database) =>
  createTrading({ database, prices, random, now: Date.now });

let cluster: CitusCluster;
let cell: TestSchema;
/** Who owns the tables: Citus refuses a transaction in which two users touch one shard. */
let owner: Database;

before(async () => {
  if (skip !== undefined) return;
  cluster = await runCitus();
  const { coordinator, urlOf } = cluster;
  cell = await openTestSchema(
    { url: urlOf(coordinator), appUrl: urlOf(coordinator, "app") },
    "cell_b",
  );
  const distribute = new URL("../schema/statements/distribute_schema.sql", import.meta.url);
  // Twice: what is distributed stays as it is.
  for (let i = 0; i < 2; i++) await cell.database.sql.unsafe(await readFile(distribute, "utf8"));
  owner = openDatabase(inSchema(urlOf(coordinator, "sabika_owner")), { maxConnections: 2 });
  await owner.sql`select maintain_nonce_partitions(86400)`;
});
after(async () => {
  await owner?.close();
  await cell?.close();
  await cluster?.stop();
});

test(
  "a quote, its order, a funding and a withdrawal, asked for at any node",
  { skip },
  async () => {
    const nodes = [cluster.coordinator, ...cluster.workers];
    for (const node of nodes) {
      const database = openDatabase(inSchema(cluster.urlOf(node, "app")), { maxConnections: 2 });
      const trading = tradingOf(database);
      const bank = await admitTestPartner(owner, { cashHalalas: 1_000_000n });
      const quote = await trading.quote(bank.quote());
      assert(quote.ok);
      const order = bank.order(quote.value.id);
      const next = () => bank.order(quote.value.id).nonce;
      const first = await trading.order(order);
      assert(first.ok);
      assertEquals(await trading.order({ ...order, nonce: next() }), { ...first, replayed: true });
      const refusals = await Promise.all([
        trading.order({ ...order, parameters: "POST\n/other\n\n{}", nonce: next() }),
        trading.order(bank.order(quote.value.id, { nonce: order.nonce })),
        trading.order(bank.order(quote.value.id)),
      ]);
      assertEquals(refusals.map((one) => !one.ok && one.code), [
        "idempotency_key_conflict",
        "nonce_reused",
        "quote_already_used",
      ]);
      assert((await trading.fund(bank.fund(100n))).ok);
      const withdrawal = await trading.withdraw(bank.withdraw(100n));
      assert(withdrawal.ok);
      assert((await trading.cancelWithdrawal(bank.cancel(withdrawal.value.id))).ok);
      await database.close();
    }
    assertEquals(await reconcile(owner), []);
  },
);

test("what never changes does not change where it is distributed either", { skip }, async () => {
  for (
    const change of [
      "update transfers set amount = 1",
      "delete from orders",
      "truncate events cascade",
    ]
  ) {
    await assertRejects(() => owner.sql.unsafe(change), Error, "is append only");
  }
});

test(
  "a cell moves to another node while partners trade, and every balance is right",
  { skip },
  async (t) => {
    const banks = await Promise.all(
      Array.from(
        { length: 8 },
        () => admitTestPartner(owner, { cashHalalas: 2_000_000n, goldMicrograms: 10_000_000n }),
      ),
    );
    const trading = tradingOf(cell.app);
    const acknowledged: string[] = [];
    let slowestMs = 0;
    let isOver = false;
    const trade = async (bank: TestPartner) => {
      for (let n = 0; !isOver; n++) {
        const quote = await trading.quote(bank.quote({ side: n % 2 === 0 ? "buy" : "sell" }));
        if (!quote.ok) continue;
        const startMs = performance.now();
        const order = await trading.order(bank.order(quote.value.id));
        slowestMs = Math.max(slowestMs, performance.now() - startMs);
        if (order.ok) acknowledged.push(order.value.id);
      }
    };
    const callers = banks.flatMap((bank) => [trade(bank), trade(bank), trade(bank), trade(bank)]);
    try {
      await move();
    } finally {
      isOver = true;
      await Promise.all(callers);
    }
    const [row] = await owner.sql<{ n: number }[]>`select count(*)::int as n from orders
    where partner_id = any (${`{${banks.map(({ partnerId }) => partnerId).join()}}`}::integer[])`;
    assertEquals(new Set(acknowledged).size, acknowledged.length);
    assertEquals(row!.n, acknowledged.length);
    assertEquals(await reconcile(owner), []);
    t.diagnostic(JSON.stringify({ orders: acknowledged.length, slowestMs: Math.round(slowestMs) }));
  },
);

/** Moves the cell's schema to the worker that it is not on. */
async function move(): Promise<void> {
  const admin = openDatabase(cluster.urlOf(cluster.coordinator), { maxConnections: 1 });
  const place = async () => {
    const [shard] = await admin.sql<{ port: number }[]>`select nodeport as port
      from citus_shards where table_name = 'cell_b.accounts'::regclass`;
    return shard!.port;
  };
  try {
    const from = await place();
    const to = cluster.workers.find(({ port }) => port !== from)!;
    await admin.sql`set lock_timeout = 0`;
    await admin
      .sql`select citus_schema_move('cell_b', ${to.socketFolder}::text, ${to.port}::integer)`;
    assertEquals(await place(), to.port);
  } finally {
    await admin.close();
  }
}
