import { after, before, test } from "node:test";
import { assertEquals, assertStringIncludes } from "@std/assert";
import { readFeedSettings, setPriceOrigin } from "@sabika/service/prices";
import { openTestConsole, type TestConsole } from "../../../test/support/test_console.ts";

let site: TestConsole;
before(async () => {
  site = await openTestConsole();
});
after(() => site.close());

test("the price's course is broken off where there was none, and a file has its minutes", async () => {
  const day = await site.read("/en/prices");
  // The test's history lacks 50 of the last 1 400 minutes.
  assertEquals(day.match(/<polygon class="band"/g)?.length, 2);
  assertEquals((await site.read("/en/prices?last=hour")).match(/<polygon/g)?.length, 1);
  const lines = (await site.read("/en/prices.csv?last=hour")).trimEnd().split("\r\n");
  assertEquals(lines[0], "minute,least_sar,highest_sar,last_sar");
  // An hour, or a minute less when one has begun since the history was made.
  assertEquals([60, 61].includes(lines.length), true, String(lines.length));
  const { sql } = site.admin.testDatabase.database;
  await sql`delete from price_minutes`;
  assertStringIncludes(await site.read("/ar/prices"), "لم يُدوَّن سعر في هذه المدة.");
});

test("a feed is shown without what is secret in its address, and can be resumed when paused", async () => {
  const feed = readFeedSettings({ url: "https://feed.example/xau?key=swordfish", path: "$.mid" });
  if (typeof feed === "string") throw new Error(feed);
  await setPriceOrigin(site.admin, { source: "feed", feed });
  const offered = (page: string) =>
    ["price.pause", "price.resume"].filter((act) => page.includes(`value="${act}"`));
  const quoting = await site.read("/en/prices");
  assertStringIncludes(quoting, "https://feed.example/xau?…");
  assertEquals(quoting.includes("swordfish"), false);
  assertStringIncludes(quoting, "3 %");
  assertEquals(offered(quoting), ["price.pause"]);
  const { sql } = site.admin.testDatabase.database;
  await sql`update price_settings set paused = true`;
  const paused = await site.read("/en/prices");
  assertStringIncludes(paused, "Paused");
  assertEquals(offered(paused), ["price.resume"]);
});
