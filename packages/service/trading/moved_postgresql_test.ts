import { after, test } from "node:test";
import { assert, assertEquals, assertRejects } from "@std/assert";
import { openTestDatabase } from "../../../test/support/test_database.ts";
import { random } from "../../../test/support/random.ts";
import { value } from "../../../test/support/test_market.ts";
import { admitTestPartner } from "../../../test/support/test_partner.ts";
import { CellAwayError, createCells, mapCells } from "../cells/cells.ts";
import { setFixedPrice } from "../../../test/support/fixed_price.ts";
import { readingAcross, tradingAcross } from "./across_cells.ts";
import { createReading } from "./create_reading.ts";
import { createWrites } from "./writes.ts";

// Two databases with the same partners, the accounts of each in one of them at most (Decision D53).
const [main, other] = [await openTestDatabase(), await openTestDatabase()];
after(async () => {
  await main.close();
  await other.close();
});
/** Admits three partners; in both databases they have the same ids. */
async function admitThree({ database }: typeof main) {
  const admit = () => admitTestPartner(database, { cashHalalas: 1_000_000_000n });
  const partners = [await admit(), await admit(), await admit()] as const;
  await database.sql`update partners set webhook_url = 'https://127.0.0.1:1/'`;
  return partners;
}
const [moving, staying, nowhere] = await admitThree(main);
await admitThree(other);
await main.database.sql`delete from accounts
  where partner_id in (${moving.partnerId}, ${nowhere.partnerId})`;
await other.database.sql`delete from accounts where partner_id <> ${moving.partnerId}`;

/** What the register says of the partner that has moved, when it has been read again. */
let known = "main";
let pauses = 0;
const cells = createCells(main.app, (id) => id === moving.partnerId ? known : "main");
cells.add("b", other.app);
const following = {
  refresh: () => Promise.resolve(void (known = "b")),
  pause: () => Promise.resolve(void (pauses += 1)),
};
const trading = tradingAcross(
  mapCells(cells, (database) => createWrites({ database, now: Date.now })),
  {
    random,
    now: Date.now,
    ...following,
    prices: await setFixedPrice([main.database, other.database], 4_850_000n),
  },
);
const reading = readingAcross(
  mapCells(
    cells,
    (database) => createReading({ database, environment: "sandbox", now: Date.now }),
  ),
  following,
);

/** Does it as an instance that has not heard of the move yet. */
function unaware<T>(act: () => Promise<T>): Promise<T> {
  known = "main";
  return act();
}

test("every write of a partner that has moved is executed once, in its new cell", async () => {
  const bought = async () => {
    const { id } = value(await unaware(() => trading.quote(moving.quote())));
    return value(await unaware(() => trading.order(moving.order(id))));
  };
  const [first, second] = [await bought(), await bought()];
  const fund = moving.fund(100n);
  const funding = value(await unaware(() => trading.fund(fund)));
  const key = { partnerId: moving.partnerId, idempotencyKey: fund.idempotencyKey };
  assertEquals(await unaware(() => trading.findIdempotencyKey(key)), { resourceId: funding.id });
  const unused = { ...key, idempotencyKey: "unused" };
  assertEquals(await unaware(() => trading.findIdempotencyKey(unused)), undefined);
  const kept = { command: moving.fund(1n), id: crypto.randomUUID() };
  assertEquals(await unaware(() => trading.keepKey(kept)), undefined);
  const withdrawal = value(await unaware(() => trading.withdraw(moving.withdraw(100n))));
  value(await unaware(() => trading.cancelWithdrawal(moving.cancel(withdrawal.id))));
  const { request: _, ...signed } = moving.withdraw(1n);
  value(await unaware(() => trading.enableWebhook({ ...signed, request: {} })));
  const request = { fromSequence: 1, toSequence: 1 };
  const redelivery = { ...moving.fund(1n), request };
  assertEquals(value(await unaware(() => trading.redeliver(redelivery))).count, 1);
  assertEquals(
    await unaware(() => trading.redeliver(redelivery)).then((o) => o.ok && o.replayed),
    true,
  );

  const counts = async ({ sql }: typeof main.database) => {
    const [row] = await sql`select
      (select count(*)::int from orders where partner_id = ${moving.partnerId}) as orders,
      (select count(*)::int from withdrawals where partner_id = ${moving.partnerId}) as withdrawals,
      (select count(*)::int from nonces where partner_id = ${moving.partnerId}) as nonces,
      (select count(*)::int from idempotency_keys where partner_id = ${moving.partnerId}) as keys`;
    return Object.values(row!);
  };
  assertEquals(await counts(main.database), [0, 0, 0, 0]);
  assertEquals(await counts(other.database), [2, 1, 5, 10]);

  const { partnerId } = moving;
  const listed = await unaware(() => reading.listOrders({ partnerId, limit: 9 }));
  assertEquals(listed.ok && listed.page.data.map(({ id }) => id), [second.id, first.id]);
  const balances = await unaware(() => reading.balances(moving));
  assertEquals(balances.sarHalalas, second.balances!.sarHalalas + 100n);
  assertEquals(pauses, 0);
});

const NO_WITHDRAWAL = "wd_01999999-9999-7999-8999-999999999999";

test("a partner without a home cell is refused, and no other partner in its batch is", async () => {
  const [refused, made] = await Promise.all([
    trading.quote(nowhere.quote()),
    trading.quote(staying.quote()),
  ]);
  assertEquals(
    refused,
    {
      ok: false,
      code: "service_unavailable",
      retryAfterSeconds: 1,
    } as typeof refused,
  );
  const quote = value(made);
  const outcomes = await Promise.all([
    trading.order(nowhere.order(quote.id)),
    trading.order(staying.order(quote.id)),
    trading.withdraw(nowhere.withdraw(1n)),
    trading.withdraw(staying.withdraw(1n)),
    trading.fund(nowhere.fund(100n)),
    trading.fund(staying.fund(100n)),
    trading.cancelWithdrawal(nowhere.cancel(NO_WITHDRAWAL)),
    trading.cancelWithdrawal(staying.cancel(NO_WITHDRAWAL)),
  ]);
  const away = "service_unavailable";
  assertEquals(outcomes.map((outcome) => outcome.ok || outcome.code), [
    away,
    true,
    away,
    true,
    away,
    true,
    away,
    "not_found",
  ]);
  await assertRejects(() => reading.balances(nowhere), CellAwayError);
  assert(pauses > 0);
});
