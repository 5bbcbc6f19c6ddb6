import { after, before, test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { actAs, clientIdOf } from "../../../test/support/acts.ts";
import { setFixedPrice } from "../../../test/support/fixed_price.ts";
import { type Chance, chanceOf, drawSeed } from "../../../test/support/history/chance.ts";
import { random } from "../../../test/support/random.ts";
import { signReceipts } from "../../../test/support/signed_receipts.ts";
import { sized } from "../../../test/support/sized.ts";
import { openTestAdmin, type TestAdmin } from "../../../test/support/test_admin.ts";
import { until } from "../../../test/support/until.ts";
import { admitTestPartner, type TestPartner } from "../../../test/support/test_partner.ts";
import { type RunningPostgreSQL, runPostgreSQL } from "../../../tools/programs/run_postgresql.ts";
import { reconcile } from "../ledger/reconcile.ts";
import { createTrading } from "../trading/create_trading.ts";

const ROUNDS = sized(400, 10_000);
const POOLS = ["main", "second"] as const;
const seed = drawSeed();

let postgresql: RunningPostgreSQL;
let admin: TestAdmin;
before(async () => {
  postgresql = await runPostgreSQL({ durable: true });
  admin = await openTestAdmin("sandbox", { server: postgresql.url, maxConnections: 12 });
});
after(async () => {
  await admin?.close();
  await postgresql?.stop();
});

/** What one round of everything at once is made of. */
interface World {
  readonly chance: Chance;
  readonly partners: readonly { bank: TestPartner; clientId: string; pool: typeof POOLS[number] }[];
  /** A partner that does not trade, and changes its pool. */
  readonly roamer: string;
  /** How often each outcome was met; a connection that was cut is `lost`. */
  readonly outcomes: Map<string, number>;
  readonly trading: ReturnType<typeof createTrading>;
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
  const prices = await setFixedPrice(database, 4_850_000n);
  const trading = createTrading({ database, prices, random, now: Date.now });
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

const newBar = (chance: Chance, serial: string) => ({
  serial,
  refiner: chance.pick(["Emirates Gold", "مصفاة الخليج", 'R "x" \\']),
  fineness: chance.pick(["995", "999.9", "916"]),
  weight_grams: String(1 + chance.below(12)),
});

/** Changes a pool's bars in one of all ways. */
async function changeBars({ chance }: World, round: number) {
  const pool = chance.pick(POOLS);
  const rows = await admin.database.sql<{ serial: string; weighs: number; encumbered: boolean }[]>`
    select serial, (weight_micrograms / 1000000)::int as weighs, encumbrance is not null as encumbered
    from vault_bars where pool_id = ${pool} and removed_at is null order by serial`;
  const act = (name: string, input: object) =>
    actAs(admin, name as "vault.bar.remove", input as { serial: string });
  // Neither empty nor ever larger.
  const kind = rows.length < 3 ? 0 : rows.length > 30 ? 2 + chance.below(6) : chance.below(8);
  const { serial, weighs, encumbered } = rows.length === 0
    ? { serial: "", weighs: 0, encumbered: false }
    : chance.pick(rows);
  switch (kind) {
    case 0:
      return await act("vault.bar.add", { ...newBar(chance, `A-${round}`), pool });
    case 1: {
      const bars = [0, 1, 2].map((n) => newBar(chance, `M-${round}-${n}`));
      return await act("vault.bars.add", { bars, pool });
    }
    case 2: {
      const bar = { ...newBar(chance, `R-${round}`), fineness: "999.9" };
      return await act("vault.bar.replace", {
        serials: [serial],
        bars: [{ ...bar, weight_grams: String(weighs + chance.below(2)) }],
      });
    }
    case 3:
      return await act(encumbered ? "vault.bar.release" : "vault.bar.encumber", {
        serial,
        ...!encumbered && { reason: "pledged" },
      });
    case 4:
      return await act("vault.bar.move", { serial, place: `Shelf ${chance.below(9)}` });
    case 5:
      // A bar of one pool is not added to another.
      return await act("vault.bar.add", {
        ...newBar(chance, serial),
        pool: POOLS[pool === "main" ? 1 : 0],
      });
    default:
      return await act("vault.bar.remove", { serial });
  }
}

/** What holds in one snapshot, whatever happens meanwhile. */
async function assertHolds(): Promise<void> {
  const wrong = await admin.database.sql`
    with listed as (
      select distinct on (pool_id, serial) * from pool_version_bars order by pool_id, serial, number desc
    )
    select v.pool_id, 'owes more than it has, or counts otherwise' as what
    from vault v join pools p using (pool_id) left join pool_versions n using (version_id)
    where allocated_micrograms > bars_micrograms
      or bars_micrograms <> coalesce(n.fine_micrograms, 0)
      or allocated_micrograms <> (select coalesce(sum(gold_micrograms + allocation_micrograms), 0)
        from accounts a where a.pool_number = p.pool_number)
      or bars_micrograms <> (select coalesce(sum(fine_micrograms), 0) from listed
        where pool_id = v.pool_id and is_listed)
      or bars_micrograms <> (select coalesce(sum(fine_micrograms), 0) from vault_bars b
        where b.pool_id = v.pool_id and removed_at is null and encumbrance is null)
    union all
    select string_agg(pool_id, ' '), 'both list the serial ' || serial from listed where is_listed
    group by serial having count(*) > 1`;
  assertEquals(wrong.map((row) => ({ ...row })), []);
}

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

test("pools cover what they owe and no serial is listed twice, through orders, acts and kills (D102)", async (t) => {
  const world = await openWorld();
  const { chance, partners, roamer, outcomes } = world;
  const receipts = signReceipts(admin);
  for (let round = 0; round < ROUNDS; round++) {
    const grant = () =>
      actAs(admin, chance.below(2) === 0 ? "vault.allocate" : "vault.release", {
        partner: chance.pick([...partners.map(({ clientId }) => clientId), roamer]),
        grams: String(1 + chance.below(20)),
      });
    const setPool = () =>
      actAs(admin, "partner.pool.set", { partner: roamer, pool: chance.pick(POOLS) });
    await Promise.all([
      ...partners.map((partner) => attempt(world, () => order(world, partner))),
      attempt(world, grant),
      attempt(world, () => changeBars(world, round)),
      attempt(world, () => changeBars(world, ROUNDS + round)),
      round % 10 === 9 ? kill(round) : assertHolds(),
      attempt(world, setPool),
      attempt(world, () => receipts.makeSome().then(() => undefined)),
      attempt(world, () => askReceipt(world, receipts)),
    ]);
    if (round % 10 === 9) await assertHolds();
  }
  await assertHolds();
  t.diagnostic(JSON.stringify([...outcomes]));
  for (const outcome of ["done", "lost", "insufficient_vault", "inventory_unavailable"]) {
    assert(outcomes.has(outcome), JSON.stringify([...outcomes]));
  }
  const orders = await admin.database.sql<{ id: string; pool: string; number: number }[]>`
    select 'ord_' || order_id as id, pool_id as pool, number
    from orders left join pool_versions on version_id = pool_version_id`;
  const named = new Map(orders.map((order) => [order.id, order]));
  for (const { orderId, pool, before, after } of world.answered) {
    const { pool: of, number } = named.get(orderId)!;
    assertEquals(of, pool);
    assert(before <= number && number <= after, `${orderId}: ${number} of ${before}..${after}`);
  }
  assertEquals(orders.filter(({ pool }) => pool === null), []);
  assert(world.answered.length > ROUNDS, `${world.answered.length} orders`);
  assertEquals(await receipts.judge(), orders.length);
  assertEquals(await reconcile(admin.database), []);
});
