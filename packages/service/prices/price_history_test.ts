import { after, test } from "node:test";
import { assertEquals } from "@std/assert";
import type { AnySql } from "@sabika/database";
import { PRICE_INTERVAL_MINUTES, PRICE_SPANS_MAX } from "@sabika/protocol";
import { byForce } from "../../../test/support/by_force.ts";
import { openTestDatabase } from "../../../test/support/test_database.ts";
import { setFixedPrice } from "../../../test/support/fixed_price.ts";
import { createPriceHistory, readPriceSpans } from "./price_history.ts";
import { numbers } from "../../../test/support/quote_oracle.ts";
import { sized } from "../../../test/support/sized.ts";
import { recordPrice } from "./record_price.ts";

const { database, app, close } = await openTestDatabase();
after(close);

const MINUTE_MS = 60_000;
const DAY_MS = 1_440 * MINUTE_MS;

const HOUR_MS = 60 * MINUTE_MS;

test("a minute and its hour have the first, highest, lowest and last price, and how many there were", async () => {
  const { sql } = database;
  const record = (tx: AnySql, mid: bigint, at: number) =>
    tx`select note_in_history(${mid}::bigint, ${at}::bigint)`;
  // In one transaction, whose time stands still: so they are of one minute. The third is older than the second.
  await sql.begin(async (tx) => {
    await record(tx, 4_850_000n, 1);
    await record(tx, 4_860_000n, 3);
    await record(tx, 9_000_000n, 2);
    await record(tx, 4_840_000n, 4);
    await record(tx, 4_855_000n, 5);
  });
  const nowMs = Date.now();
  for (const minutes of [1, 60, 1_440]) {
    const spans = await readPriceSpans(sql, {
      fromMs: nowMs - DAY_MS,
      toMs: nowMs + HOUR_MS,
      minutes,
    });
    assertEquals(spans.map(({ startMs: _, ...span }) => span), [{
      openTenThousandths: 4_850_000n,
      highTenThousandths: 4_860_000n,
      lowTenThousandths: 4_840_000n,
      closeTenThousandths: 4_855_000n,
      count: 4,
    }]);
    // Days begin in Riyadh.
    assertEquals((spans[0]!.startMs + 3 * HOUR_MS) % (minutes * MINUTE_MS), 0);
  }
});

test("minutes are read in whole spans of several, without spans that have no price", async () => {
  const { sql } = database;
  await sql`delete from price_minutes`;
  const startMs = Math.floor(Date.now() / HOUR_MS) * HOUR_MS;
  await sql`insert into price_minutes
    select to_timestamp(${startMs / 1000}::float8) + n * interval '1 minute', 100 - n, 100 + n, 100
      + n % 3, case when n > 0 then 100 - n end, n
    from generate_series(0, 14) n where n not between 5 and 9`;
  const period = { fromMs: startMs, toMs: startMs + 13 * MINUTE_MS };
  const expected = [{
    startMs,
    openTenThousandths: null,
    highTenThousandths: 104n,
    lowTenThousandths: 96n,
    closeTenThousandths: 101n,
    count: 10,
  }, {
    startMs: startMs + 10 * MINUTE_MS,
    openTenThousandths: 90n,
    highTenThousandths: 114n,
    lowTenThousandths: 86n,
    closeTenThousandths: 102n,
    count: 60,
  }];
  assertEquals(await readPriceSpans(sql, { ...period, minutes: 5 }), expected);
  // A span that began before the period is not of it.
  const later = { ...period, fromMs: startMs + 2 * MINUTE_MS };
  assertEquals(await readPriceSpans(sql, { ...later, minutes: 5 }), expected.slice(1));
  let nowMs = 0;
  const history = createPriceHistory({ database, now: () => nowMs });
  assertEquals(await history({ ...period, interval: "5m" }), expected);
  await sql`delete from price_minutes`;
  assertEquals(await history({ ...period, interval: "5m" }), expected);
  nowMs = 1_000;
  assertEquals(await history({ ...period, interval: "5m" }), []);
});

test("a thousand days that begin at no midnight of Riyadh's are a thousand spans", async () => {
  const { sql } = database;
  await sql`delete from price_hours`;
  const fromMs = Date.UTC(2024, 0, 1);
  await sql`insert into price_hours select at, 1, 1, 1, 1, 1, 1
    from generate_series(${new Date(fromMs - DAY_MS).toISOString()}::timestamptz,
      ${new Date(fromMs + 1_001 * DAY_MS).toISOString()}, interval '1 hour') at`;
  const spans = await readPriceSpans(sql, {
    fromMs,
    toMs: fromMs + PRICE_SPANS_MAX * DAY_MS,
    minutes: 1_440,
  });
  assertEquals(spans.length, PRICE_SPANS_MAX);
  assertEquals(new Set(spans.map(({ count }) => count)), new Set([24]));
});

test("two years of prices are read by their spans, at most a thousand at once", async (t) => {
  const { sql } = database;
  const days = sized(3, 730);
  // Beside ten million quotes.
  await byForce(
    database,
    `insert into quotes (partner_id, quote_id, gold_micrograms, price_ten_thousandths, fee_halalas, vat_ppm,
      vat_halalas, total_halalas, price_as_of, created_at, expires_at, side)
    select 1, gen_random_uuid(), 1, 1, 0, 0, 0, 1, now(), now(), now(), 'buy'
    from generate_series(1, ${sized(10, 10_000_000)})`,
  );
  for (const [table, unit] of [["price_minutes", "minute"], ["price_hours", "hour"]]) {
    await sql.unsafe(`delete from ${table}`);
    await sql.unsafe(
      `insert into ${table} select at, 4850000 - n % 900, 4850000 + n % 900, 4850000, 4850000, 30, n
      from generate_series(date_trunc('day', now()) - interval '${days} days', date_trunc('day', now())
        - interval '1 ${unit}', interval '1 ${unit}') with ordinality as t (at, n); analyze ${table}`,
    );
  }
  const endMs = Math.floor(Date.now() / DAY_MS) * DAY_MS;
  const next = numbers(91);
  for (const [interval, minutes] of Object.entries(PRICE_INTERVAL_MINUTES)) {
    const spanMs = minutes * MINUTE_MS;
    const count = Math.min(PRICE_SPANS_MAX, (days - 1) * DAY_MS / spanMs);
    const times: number[] = [];
    for (let read = 0; read < sized(2, 400); read++) {
      const least = (endMs - days * DAY_MS) / spanMs + 1;
      const fromMs = next(Math.ceil(least), endMs / spanMs - count) * spanMs;
      const startMs = performance.now();
      const spans = await readPriceSpans(sql, { fromMs, toMs: fromMs + count * spanMs, minutes });
      times.push(performance.now() - startMs);
      assertEquals(spans.length, count, interval);
    }
    const p95 = times.sort((a, b) => a - b)[Math.floor(times.length * 0.95)]!;
    t.diagnostic(`${interval}: p95 of ${times.length} reads ${p95.toFixed(1)} ms`);
  }
});

test("minutes older than two years are dropped when the next price is recorded", async () => {
  const { sql } = database;
  await sql`delete from price_minutes`;
  await sql`insert into price_minutes select date_trunc('minute', now()) - age, 1, 1, 1
    from unnest(array[interval '2 years 1 minute', interval '1 year']) age`;
  await recordPrice(app, {
    ok: true,
    source: "simulated",
    midTenThousandths: 4_850_000n,
    asOfMs: Date.now(),
  });
  const rows = await sql<{ years: number }[]>`
    select round(extract(epoch from now() - minute) / 86400 / 365)::integer as years
    from price_minutes order by minute`;
  assertEquals(rows.map(({ years }) => years), [1, 0]);
});

test("instances record one price a second in all, and a fixed price once (D88)", async () => {
  const count = async () => {
    const [row] = await database.sql<{ n: number; second: number }[]>`select count(*)::int as n,
      floor(extract(epoch from clock_timestamp()))::int as second from prices`;
    return row!;
  };
  const { second } = await count();
  const before = await database.sql<
    { number: bigint }[]
  >`select price_number as number from prices`;
  const recorded = Array.from({ length: 20 }, (_, n) =>
    recordPrice(app, {
      ok: true,
      source: "simulated",
      midTenThousandths: 4_850_000n + BigInt(n),
      asOfMs: Date.now(),
    }));
  const numbers = new Set(await Promise.all(recorded));
  const { n, second: last } = await count();
  assertEquals(new Set([...before.map(({ number }) => number), ...numbers]).size, n);
  const { size } = numbers;
  assertEquals(1 <= size && size <= last - second + 1, true, `${size} prices`);
  const fixed = await setFixedPrice(database, 4_000_000n);
  for (let nowMs = 0; nowMs < 5_000; nowMs += 1_000) {
    const latest = fixed.latest(nowMs);
    if (latest.ok) await recordPrice(app, latest);
  }
  assertEquals((await count()).n, n + 1);
});

test("a price of before the database's clock was set back is neither taken nor compared with (D88)", async () => {
  const configuration = '{"least": "100", "most": "5000", "max_age_ms": 15000, "agreeing": 3, ' +
    '"poll_ms": 2000, "max_jump": "0.03"}';
  await byForce(
    database,
    "delete from prices",
    `insert into prices select (extract(epoch from t) * 1000)::bigint * 1000, 4000000, t, t, 'feed'
      from (select now() + interval '1 hour' as t) n`,
    `update price_settings set source = 'feed', configuration = '${configuration}'`,
  );
  const mid = 4_500_000n;
  const price = { ok: true, source: "feed", midTenThousandths: mid, asOfMs: Date.now() } as const;
  const number = await recordPrice(app, price);
  const rows = await database.sql`
    select price_number = ${number}::bigint as taken from prices where mid_ten_thousandths = ${mid}`;
  assertEquals(rows.map(({ taken }) => taken), [true]);
});
