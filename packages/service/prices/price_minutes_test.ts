import { after, test } from "node:test";
import { assertEquals } from "@std/assert";
import { openTestDatabase } from "../../../test/support/test_database.ts";
import { setFixedPrice } from "../../../test/support/fixed_price.ts";
import { notePrice, readPriceSpans } from "./price_minutes.ts";
import { recordPrice } from "./record_price.ts";

const { database, app, close } = await openTestDatabase();
after(close);

const MINUTE_MS = 60_000;

test("a minute has the lowest, highest and last price that were noted in it", async () => {
  const { sql } = database;
  // In one transaction, whose time stands still: so they are of one minute.
  await app.sql.begin(async (tx) => {
    for (const mid of [4_850_000n, 4_860_000n, 4_840_000n, 4_855_000n]) await notePrice(tx, mid);
  });
  const nowMs = Date.now();
  const period = { fromMs: nowMs - 5 * MINUTE_MS, toMs: nowMs + 5 * MINUTE_MS, minutes: 1 };
  const spans = await readPriceSpans(sql, period);
  assertEquals(spans.map(({ startMs }) => startMs % MINUTE_MS), [0]);
  const [span] = spans;
  assertEquals(
    [span?.leastTenThousandths, span?.mostTenThousandths, span?.lastTenThousandths],
    [4_840_000n, 4_860_000n, 4_855_000n],
  );
});

test("minutes are read in spans of several, without spans that have no price", async () => {
  const { sql } = database;
  await sql`delete from price_minutes`;
  const startMs = Math.floor(Date.now() / 3_600_000) * 3_600_000;
  await sql`insert into price_minutes
    select to_timestamp(${startMs / 1000}::float8) + n * interval '1 minute', 100 - n, 100 + n, 100
      + n % 3
    from generate_series(0, 14) n where n not between 5 and 9`;
  const spans = await readPriceSpans(sql, {
    fromMs: startMs,
    toMs: startMs + 13 * MINUTE_MS,
    minutes: 5,
  });
  assertEquals(spans, [
    {
      startMs,
      leastTenThousandths: 96n,
      mostTenThousandths: 104n,
      lastTenThousandths: 101n,
    },
    {
      startMs: startMs + 10 * MINUTE_MS,
      leastTenThousandths: 88n,
      mostTenThousandths: 112n,
      lastTenThousandths: 100n,
    },
  ]);
});

test("minutes older than a month are dropped when the next price is noted", async () => {
  const { sql } = database;
  await sql`delete from price_minutes`;
  await sql`insert into price_minutes select date_trunc('minute', now()) - age, 1, 1, 1
    from unnest(array[interval '31 days 1 minute', interval '30 days']) age`;
  await notePrice(app.sql, 4_850_000n);
  const rows = await sql<{ days: number }[]>`
    select round(extract(epoch from now() - minute) / 86400)::integer as days
    from price_minutes order by minute`;
  assertEquals(rows.map(({ days }) => days), [30, 0]);
});

test("instances record one price a second in all, and a fixed price once (D88)", async () => {
  const count = async () => {
    const [row] = await database.sql<{ n: number; second: number }[]>`select count(*)::int as n,
      floor(extract(epoch from clock_timestamp()))::int as second from prices`;
    return row!;
  };
  const { second } = await count();
  const recorded = Array.from({ length: 20 }, (_, n) =>
    recordPrice(app, {
      ok: true,
      source: "simulated",
      midTenThousandths: 4_850_000n + BigInt(n),
      asOfMs: Date.now(),
    }));
  const numbers = new Set(await Promise.all(recorded));
  const { n, second: last } = await count();
  assertEquals(numbers.size, n);
  assertEquals(1 <= n && n <= last - second + 1, true, `${n} prices`);
  const fixed = await setFixedPrice(database, 4_000_000n);
  for (let nowMs = 0; nowMs < 5_000; nowMs += 1_000) {
    const latest = fixed.latest(nowMs);
    if (latest.ok) await recordPrice(app, latest);
  }
  assertEquals((await count()).n, n + 1);
});
