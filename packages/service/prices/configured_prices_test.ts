import { createServer } from "node:http";
import { test } from "node:test";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { plainFetch } from "@sabika/network";
import { formatPrice } from "@sabika/protocol";
import { byForce } from "../../../test/support/by_force.ts";
import { listen } from "../../../test/support/listen.ts";
import { openTestAdmin } from "../../../test/support/test_admin.ts";
import { listAudit } from "../audit/audit.ts";
import { createConfiguredPrices } from "./configured_prices.ts";
import { readFeedSettings } from "./feed_settings.ts";
import { createHttpFeed } from "./http_feed.ts";
import { pausePrices, readPriceSettings, setPriceOrigin } from "./price_settings.ts";
import {
  keepRefusedPrice,
  listRefusedPrices,
  recordPrice,
  type RefusedPrice,
} from "./record_price.ts";

test("quoting follows the operator's settings, pauses and resumptions", async (t) => {
  const admin = await openTestAdmin();
  const prices = createConfiguredPrices({ ...admin, fetch: plainFetch, pollMs: 60_000 });
  const mid = async () => {
    await prices.refresh();
    const latest = prices.latest(admin.now());
    return latest.ok ? latest.midTenThousandths : null;
  };
  t.after(async () => {
    prices.close();
    await admin.close();
  });
  assertEquals(prices.latest(admin.now()).ok, false);
  assertEquals(typeof await mid(), "bigint");
  await setPriceOrigin(admin, { source: "fixed", midTenThousandths: 4_850_000n });
  assertEquals(await mid(), 4_850_000n);
  await pausePrices(admin, true);
  assertEquals(await mid(), null);
  await pausePrices(admin, false);
  assertEquals(await mid(), 4_850_000n);
  const zero = await setPriceOrigin(admin, { source: "fixed", midTenThousandths: 0n });
  assertEquals(zero.ok ? "accepted" : zero.code, "invalid_setting");
});

test("a feed's key is never stored in clear text, and a password in its URL is refused", async (t) => {
  const admin = await openTestAdmin();
  const { sql } = admin.database;
  t.after(() => admin.close());
  const settings = (url: string) => readFeedSettings({ url, path: "$.price" });
  const feed = settings("https://prices.example/gold?key=hidden&unit=gram");
  assert(typeof feed !== "string");
  assert((await setPriceOrigin(admin, { source: "feed", feed })).ok);
  const [entry] = await listAudit(admin.database.sql, { limit: 1 });
  const configuration = JSON.parse(String(entry!.detail["configuration"]));
  assertEquals(configuration.url, "https://prices.example/gold?…");
  assertEquals((await readPriceSettings(sql, admin.secrets))?.origin, { source: "feed", feed });
  const stored = await sql<{ text: string }[]>`
      select configuration::text || encode(sealed, 'escape') || detail::text as text
      from price_settings, sealed_keys, audit_log`;
  for (const { text } of stored) assertEquals(text.includes("hidden"), false);
  assert((await setPriceOrigin(admin, { source: "fixed", midTenThousandths: 1_000_000n })).ok);
  const [left] = await sql`select 1 from sealed_keys where name = 'price_feed_url'`;
  assertEquals(left, undefined);
  assertStringIncludes(String(settings("https://me:hidden@prices.example/gold")), "password");
});

test("production has no simulated price", async (t) => {
  const admin = await openTestAdmin("production");
  const prices = createConfiguredPrices({ ...admin, fetch: plainFetch, pollMs: 60_000 });
  t.after(async () => {
    prices.close();
    await admin.close();
  });
  await prices.refresh();
  assertEquals(prices.latest(admin.now()).ok, false);
  const set = await setPriceOrigin(admin, { source: "simulated" });
  assertEquals(set.ok ? "accepted" : set.code, "wrong_environment");
});

test("a feed that jumps, goes stale, sends another unit or goes back in time is kept with its reason, and not quoted", async (t) => {
  const admin = await openTestAdmin();
  const { sql } = admin.database;
  let body = "";
  const server = createServer((_, response) => void response.end(body));
  const port = await listen(server);
  const url = `http://127.0.0.1:${port}/gold?key=hidden`;
  const feed = readFeedSettings({
    url,
    path: "x",
    time_path: "t",
    poll_ms: 3_600_000,
    agreeing: 2,
  });
  assert(typeof feed !== "string");
  assert((await setPriceOrigin(admin, { source: "feed", feed })).ok);
  const clock = { nowMs: Date.now() };
  const reasons: string[] = [];
  const kept: Promise<void>[] = [];
  let start = () => {};
  const started = new Promise<void>((resolve) => start = resolve);
  const onRefused = (refused: RefusedPrice) => {
    if (refused.reason === "the answer is not JSON") return start();
    reasons.push(refused.reason);
    kept.push(keepRefusedPrice(admin.database, refused));
  };
  const source = createHttpFeed(feed, { fetch: plainFetch, now: () => clock.nowMs, onRefused });
  const quoted = async (x: string, agoMs = 0) => {
    clock.nowMs += 2_000;
    body = `{"x":${x},"t":${clock.nowMs - agoMs}}`;
    await source.poll();
    const latest = source.latest(clock.nowMs);
    return latest.ok ? formatPrice(latest.midTenThousandths) : null;
  };
  // The feed's own first poll.
  await started;
  t.after(async () => {
    source.close();
    server.closeAllConnections();
    server.close();
    await admin.close();
  });
  assertEquals([await quoted("485"), await quoted("485.10")], [null, "485.1"]);
  const latest = source.latest(clock.nowMs);
  assert(latest.ok);
  const number = await recordPrice(admin.database, { ...latest, asOfMs: Date.now() });
  assertEquals(await quoted("485.2", 9_000), "485.1");
  assertEquals(await quoted("15087"), "485.1");
  assertEquals(await quoted("520"), null);
  assertEquals(await quoted("485.3"), "485.3");
  assertEquals(await quoted('"none"'), "485.3");
  clock.nowMs += 16_000;
  assertEquals(await quoted("485.4", 15_500), null);
  await Promise.all(kept);
  assertEquals(reasons, [
    "too few answers agree yet",
    "its time went back",
    "the number is no plausible price of gold",
    "the price jumped beyond the limit",
    "there is no number at x",
    "older than its limit",
  ]);
  const rows = await listRefusedPrices(sql);
  assertEquals(rows.map(({ reason }) => reason).sort(), [...reasons].sort());
  assertEquals(rows.map(({ rawValue }) => rawValue).sort(), [
    "485",
    "485.2",
    "485.4",
    "520",
    null,
    null,
  ]);
  assertEquals(rows.every(({ origin }) => origin === `127.0.0.1:${port}`), true);
  const [row] = await sql`select origin, raw_value, raw_unit, conversion, accepted from prices
      where price_number = ${number}`;
  assertEquals({ ...row }, {
    origin: `127.0.0.1:${port}`,
    raw_value: "485.10",
    raw_unit: "SAR/g",
    conversion: null,
    accepted: "2 answers agree",
  });
  await byForce(
    admin.database,
    "update refused_prices set refused_at = refused_at - interval '32 days'",
  );
  await keepRefusedPrice(admin.database, { reason: "x", origin: "y", reading: null });
  assertEquals((await listRefusedPrices(sql)).map(({ reason }) => reason), ["x"]);
});
