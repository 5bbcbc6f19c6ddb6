import process from "node:process";
import { after, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { assert, assertEquals, assertRejects } from "@std/assert";
import { actAs, clientIdOf } from "../../../test/support/acts.ts";
import { byForce } from "../../../test/support/by_force.ts";
import { type Chance, chanceOf, drawSeed } from "../../../test/support/history/chance.ts";
import { actsOnPools, POOLS } from "../../../test/support/pool_acts.ts";
import { assertPoolsHold } from "../../../test/support/pools_hold.ts";
import { signReceipts } from "../../../test/support/signed_receipts.ts";
import { sized } from "../../../test/support/sized.ts";
import { openTestAdmin } from "../../../test/support/test_admin.ts";
import { openTestTrading } from "../../../test/support/test_market.ts";
import { until } from "../../../test/support/until.ts";
import { admitTestPartner, type TestPartner } from "../../../test/support/test_partner.ts";
import { runPostgreSQL } from "../../../tools/programs/run_postgresql.ts";
import { reconcile } from "../ledger/reconcile.ts";
import { recountReceipts } from "../receipts/mod.ts";
import type { Trading } from "../trading/create_trading.ts";
import { recountVersions } from "./mod.ts";

// SABIKA_FAULT_ROUNDS says another number of rounds.
const ROUNDS = Number(process.env["SABIKA_FAULT_ROUNDS"] ?? sized(400, 10_000));
const seed = drawSeed();

const postgresql = await runPostgreSQL({ durable: true });
const admin = await openTestAdmin("sandbox", { server: postgresql.url, maxConnections: 12 });
after(async () => {
  await admin.close();
  await postgresql.stop();
});

/** What one round of everything at once is made of. */
interface World {
  readonly chance: Chance;
  readonly partners: readonly { bank: TestPartner; clientId: string; pool: typeof POOLS[number] }[];
  /** A partner that does not trade, and changes its pool. */
  readonly roamer: string;
  /** How often each outcome was met; a connection that was cut is `lost`. */
  readonly outcomes: Map<string, number>;
  readonly trading: Trading;
  /** Answered orders with the numbers of their pool's version just before and just after. */
  readonly answered: {
    partnerId: number;
    orderId: string;
    pool: string;
    before: number;
    after: number;
  }[];
}

async function openWorld(): Promise<World> {
  const { database } = admin;
  assert((await actAs(admin, "pool.create", { pool: "second" })).ok);
  const partners: World["partners"][number][] = [];
  for (const pool of [...POOLS, ...POOLS]) {
    const bank = await admitTestPartner(database, {
      cashHalalas: 10n ** 12n,
      allocationMicrograms: 0n,
    });
    const clientId = await clientIdOf(database, bank.partnerId);
    if (pool !== "main") {
      assert((await actAs(admin, "partner.pool.set", { partner: clientId, pool })).ok);
    }
    partners.push({ bank, clientId, pool });
  }
  const idle = await admitTestPartner(database, { allocationMicrograms: 0n });
  const roamer = await clientIdOf(database, idle.partnerId);
  const trading = await openTestTrading({ database }, 4_850_000n);
  const outcomes = new Map<string, number>();
  return { chance: chanceOf(seed), partners, roamer, outcomes, trading, answered: [] };
}

/** Does something, and counts what came of it. */
async function attempt(
  { outcomes }: World,
  run: () => Promise<{ ok: boolean; code?: string } | undefined>,
): Promise<void> {
  const outcome = await run().then(
    (result) => result === undefined ? "nothing" : result.ok ? "done" : result.code ?? "refused",
    () => "lost",
  );
  outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
}

const numberInForce = async (pool: string): Promise<number> => {
  const [row] = await admin.database.sql<{ number: number }[]>`
    select coalesce(max(number), 0)::int as number from pool_versions where pool_id = ${pool}`;
  return row!.number;
};

async function order(world: World, { bank, pool }: World["partners"][number]) {
  const { chance, trading } = world;
  const quote = await trading.quote(bank.quote({
    side: chance.below(2) === 0 ? "buy" : "sell",
    goldMicrograms: BigInt(1 + chance.below(90)) * 100_000n,
  }));
  if (!quote.ok) return quote;
  const before = await numberInForce(pool);
  const placed = await trading.order(bank.order(quote.value.id));
  if (!placed.ok) return placed;
  const after = await numberInForce(pool);
  const { partnerId } = bank;
  world.answered.push({ partnerId, orderId: placed.value.id, pool, before, after });
  return placed;
}

/** Asks for the receipt of any answered order. */
async function askReceipt({ chance, answered }: World, receipts: ReturnType<typeof signReceipts>) {
  if (answered.length === 0) return undefined;
  const { partnerId, orderId } = chance.pick(answered);
  await receipts.ask(partnerId, orderId);
  return undefined;
}

/** What holds in one snapshot, whatever happens meanwhile. */
const assertHolds = (look: { whole: boolean } = { whole: true }) =>
  assertPoolsHold(admin.database.sql, look);

/** Cuts off every connection at a random point, or the whole server. */
async function kill(round: number): Promise<void> {
  if (round % 100 === 99) {
    await postgresql.kill();
    // Its processes see that it is gone, and end, before another can start.
    const starts = () => postgresql.start().then(() => true, () => false);
    await until(starts, 60_000, "PostgreSQL starts again");
  } else {
    await admin.database.sql`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()`.catch(() => {});
  }
}

/** Looks at snapshots until something is done. */
async function watch(done: Promise<unknown>, look: { whole: boolean }): Promise<number> {
  let [isDone, looks] = [false, 0];
  const ended = done.finally(() => isDone = true);
  for (; !isDone; looks++, await pause(10)) await assertHolds(look);
  await ended;
  return looks;
}

/** One round of everything at once; returns how many snapshots were looked at meanwhile. */
async function playRound(
  world: World,
  receipts: ReturnType<typeof signReceipts>,
  round: number,
): Promise<number> {
  const { chance, partners, roamer } = world;
  const acts = actsOnPools(admin, chance);
  const names = [...partners.map(({ clientId }) => clientId), roamer];
  const all = Promise.all([
    ...partners.map((partner) => attempt(world, () => order(world, partner))),
    attempt(world, () => acts.grant(names)),
    attempt(world, () => acts.changeBars(round)),
    attempt(world, () => acts.changeBars(ROUNDS + round)),
    attempt(world, () => acts.count()),
    attempt(world, () => acts.setPool(roamer)),
    attempt(world, () => receipts.makeSome().then(() => undefined)),
    attempt(world, () => askReceipt(world, receipts)),
    round % 10 === 9 ? kill(round) : undefined,
  ]);
  if (round % 10 !== 9) return await watch(all, { whole: round % 100 === 0 });
  await all;
  await assertHolds();
  return 1;
}

/** Every order names a version that was in force when it was executed, also one whose answer was lost. */
async function judgeVersions({ answered }: World): Promise<number> {
  const orders = await admin.database.sql<
    { id: string; pool: string; number: number; isBack: boolean }[]
  >`
    select 'ord_' || o.order_id as id, v.pool_id as pool, v.number,
      v.number < lag(v.number) over (partition by o.partner_id, v.pool_id order by e.sequence) as "isBack"
    from orders o left join pool_versions v on v.version_id = o.pool_version_id
    left join events e on e.partner_id = o.partner_id and e.resource_id = o.order_id and e.type = 'order.executed'`;
  assertEquals(orders.filter(({ pool, isBack }) => pool === null || isBack), []);
  const named = new Map(orders.map((order) => [order.id, order]));
  for (const { orderId, pool, before, after } of answered) {
    const { pool: of, number } = named.get(orderId)!;
    assertEquals(of, pool);
    assert(before <= number && number <= after, `${orderId}: ${number} of ${before}..${after}`);
  }
  return orders.length;
}

let world: World;
test("pools cover what they owe, receipts name what was in force, no serial is there twice, through orders, acts, counts and kills (D102)", async (t) => {
  world = await openWorld();
  const { outcomes } = world;
  const receipts = signReceipts(admin);
  let looks = 0;
  for (let round = 0; round < ROUNDS; round++) looks += await playRound(world, receipts, round);
  await assertHolds();
  t.diagnostic(`${ROUNDS} rounds, ${looks} snapshots: ${JSON.stringify([...outcomes])}`);
  const met = ["done", "lost", "insufficient_vault", "inventory_unavailable", "count_differs"];
  for (const outcome of met) assert(outcomes.has(outcome), JSON.stringify([...outcomes]));
  const orders = await judgeVersions(world);
  assert(world.answered.length > ROUNDS, `${world.answered.length} orders`);
  assertEquals(await receipts.judge(), orders);
  const { database } = admin;
  assertEquals(await reconcile(database), []);
  assertEquals(await recountVersions(database, { whole: true }), []);
  assertEquals(await recountReceipts({ control: database, cell: database, whole: true }), []);
});

/** Plays some rounds, in which nothing is killed, and makes all receipts. */
async function fill(receipts: ReturnType<typeof signReceipts>): Promise<void> {
  for (let round = 0; round < 5; round++) await playRound(world, receipts, 10 * (ROUNDS + round));
  await receipts.makeAll();
}

test("a pool that owes a microgram too much is found, though all totals agree", async () => {
  const { sql } = admin.database;
  const [{ more } = { more: 0n }] = await sql<{ more: bigint }[]>`
    select bars_micrograms - allocated_micrograms + 1 as more from vault where pool_id = 'main'`;
  const owe = (more: bigint) =>
    byForce(
      admin.database,
      `update vault set allocated_micrograms = allocated_micrograms + ${more} where pool_id = 'main'`,
      `update accounts set allocation_micrograms = allocation_micrograms + ${more},
        vault_micrograms = vault_micrograms - ${more} where partner_id = ${
        world.partners[0]!.bank.partnerId
      }`,
    );
  await sql`alter table vault drop constraint vault_backs_allocations`;
  await owe(more);
  await assertRejects(assertHolds, Error, "owes ");
  await owe(-more);
  await assertHolds();
});

test("a bar that two pools list is found", async () => {
  await byForce(
    admin.database,
    `insert into pool_version_bars select 'second', (select max(number) from pool_versions where pool_id = 'second'),
      serial, is_listed, refiner, fineness_ten_thousandths, weight_micrograms, fine_micrograms, 'twice', place, documents
      from (select distinct on (serial) * from pool_version_bars where pool_id = 'main' order by serial, number desc) l
      where is_listed limit 1`,
  );
  await assertRejects(assertHolds, Error, "both list the serial");
  await byForce(admin.database, "delete from pool_version_bars where vault = 'twice'");
  await assertHolds();
});

test("orders that name the version before the one in force are found", async () => {
  const { sql } = admin.database;
  await fill(signReceipts(admin));
  await judgeVersions(world);
  await sql.unsafe(`create function stale() returns trigger language plpgsql as $$ begin
    new.pool_version_id := (select before.version_id from pool_versions v join pool_versions before using (pool_id)
      where v.version_id = new.pool_version_id and before.number = v.number - 1); return new; end $$`);
  await sql`create trigger stale before insert on orders for each row execute function stale()`;
  await fill(signReceipts(admin));
  await sql`drop trigger stale on orders`;
  await assertRejects(() => judgeVersions(world));
});

test("receipts with a share of a microgram too much are found", async () => {
  await byForce(admin.database, "delete from receipts", "delete from receipt_marks");
  const generous = signReceipts(admin, (signer) => ({
    ...signer,
    sign: (orders) =>
      signer.sign(orders.map(({ goldAfterMicrograms: gold, ...order }) => ({
        ...order,
        goldAfterMicrograms: gold + 1n,
      }))),
  }));
  await assertRejects(() => generous.judge());
});
