/** The comparison is honest only if the naive service does the same: the product's rows and refusals. */
import { after, before, test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { type RunningPostgreSQL, runPostgreSQL } from "../../tools/programs/run_postgresql.ts";
import { signOrders } from "../bench/loader/sign_orders.ts";
import { connect } from "../bench/loader/connection.ts";
import { createSite, type RunningService, type Site } from "../bench/world/site.ts";

let postgresql: RunningPostgreSQL;
let site: Site;
const services: Record<string, RunningService> = {};

before(async () => {
  postgresql = await runPostgreSQL({ durable: false });
  site = await createSite(postgresql, "naive", 2);
  services.product = await site.startServer();
  services.naive = await site.startNaive();
});

after(async () => {
  await site?.close();
  await postgresql?.stop();
});

/** A signed order as bytes, and a way to send it. */
async function anOrder(): Promise<Uint8Array> {
  const lanes = await site.lanes(site.partners.slice(0, 1), 1);
  const [request] = await signOrders(
    {
      target: services.naive!.target,
      baseUrl: site.baseUrl,
      connections: 1,
      seconds: 1,
      lanes,
    },
    Math.floor(Date.now() / 1000),
  );
  return request!;
}

async function send(
  name: string,
  request: Uint8Array,
): Promise<{ status: number; body: Record<string, unknown> }> {
  const connection = await connect(services[name]!.target, () => undefined);
  try {
    return await new Promise((resolve) =>
      connection.send(request, (status, body) => {
        resolve({ status, body: JSON.parse(body.toString()) as Record<string, unknown> });
      })
    );
  } finally {
    connection.close();
  }
}

test("both answer an order with the same members", async () => {
  const product = await send("product", await anOrder());
  const naive = await send("naive", await anOrder());
  assertEquals([product.status, naive.status], [201, 201]);
  assertEquals(Object.keys(naive.body), Object.keys(product.body));
  for (const member of ["side", "gold_grams", "price_per_gram_sar", "total_sar", "status"]) {
    assertEquals(naive.body[member], product.body[member], member);
  }
});

test("a nonce that one has seen is refused by the other", async () => {
  for (const [first, second] of [["product", "naive"], ["naive", "product"]] as const) {
    const request = await anOrder();
    assertEquals((await send(first, request)).status, 201);
    const again = await send(second, request);
    assertEquals([again.status, again.body.code], [401, "nonce_reused"]);
  }
});

test("both write the same rows, and the books agree", async () => {
  const { sql } = site.database;
  const count = async () => {
    const [row] = await sql<Record<string, bigint>[]>`
      select (select count(*) from orders) as orders, (select count(*) from transfers) as transfers,
        (select count(*) from events) as events, (select count(*) from nonces) as nonces,
        (select count(*) from idempotency_keys) as keys`;
    return Object.values(row!);
  };
  const before = await count();
  assertEquals((await send("naive", await anOrder())).status, 201);
  const between = await count();
  assertEquals((await send("product", await anOrder())).status, 201);
  const after = await count();
  const difference = (b: bigint[], a: bigint[]) => b.map((value, index) => value - a[index]!);
  assertEquals(difference(between, before), [1n, 2n, 1n, 1n, 1n]);
  assertEquals(difference(after, between), [1n, 2n, 1n, 1n, 1n]);
  const [books] = await sql<{ booked: bigint; kept: bigint }[]>`
    select (select sum(total_halalas)::bigint from orders) as booked,
      (select sum(house_cash_halalas)::bigint from accounts) as kept`;
  assert(books!.booked === books!.kept, "the house has not what the orders paid");
});
