import { test } from "node:test";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { plainFetch } from "@sabika/network";
import { openTestAdmin } from "../../../test/support/test_admin.ts";
import { listAudit } from "../audit/audit.ts";
import { createConfiguredPrices } from "./configured_prices.ts";
import { readFeedSettings } from "./feed_settings.ts";
import { pausePrices, readPriceSettings, setPriceOrigin } from "./price_settings.ts";

test("quoting follows the operator's settings, pauses and resumptions", async () => {
  const admin = await openTestAdmin();
  const prices = createConfiguredPrices({ ...admin, fetch: plainFetch, pollMs: 60_000 });
  const mid = async () => {
    await prices.refresh();
    const latest = prices.latest(admin.now());
    return latest.ok ? latest.midTenThousandths : null;
  };
  try {
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
  } finally {
    prices.close();
    await admin.close();
  }
});

test("a feed's key is never stored in clear text, and a password in its URL is refused", async () => {
  const admin = await openTestAdmin();
  const { sql } = admin.database;
  try {
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
  } finally {
    await admin.close();
  }
});

test("production has no simulated price", async () => {
  const admin = await openTestAdmin("production");
  const prices = createConfiguredPrices({ ...admin, fetch: plainFetch, pollMs: 60_000 });
  try {
    await prices.refresh();
    assertEquals(prices.latest(admin.now()).ok, false);
    const set = await setPriceOrigin(admin, { source: "simulated" });
    assertEquals(set.ok ? "accepted" : set.code, "wrong_environment");
  } finally {
    prices.close();
    await admin.close();
  }
});
