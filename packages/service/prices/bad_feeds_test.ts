import { after, test } from "node:test";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { assertEquals } from "@std/assert";
import { plainFetch } from "@sabika/network";
import { openTestDatabase } from "../../../test/support/test_database.ts";
import { admitTestPartner, random } from "../../../test/support/test_partner.ts";
import { createTrading } from "../trading/create_trading.ts";
import { readFeedSettings } from "./feed_settings.ts";
import { createHttpFeed } from "./http_feed.ts";

// No feed, whatever it does, leads to a quote at a wrong price.

const { database, close } = await openTestDatabase();
let answer: (response: ServerResponse) => void = (response) => void response.end();
const server = createServer((_, response) => answer(response));
await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
after(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await close();
});

/** Quotes one gram at the feed's price, with neither spread nor fee; null = no price. */
async function openMarket() {
  const settings = readFeedSettings({
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/xau`,
    path: "$.mid",
    poll_ms: 3_600_000,
    agreeing: 3,
  });
  if (typeof settings === "string") throw new Error(settings);
  const clock = { nowMs: Date.now() };
  const now = () => clock.nowMs;
  const feed = createHttpFeed(settings, { fetch: plainFetch, now });
  const trading = createTrading({ database, prices: feed, random, now });
  const partner = await admitTestPartner(database, {
    settings: { spreadPpm: 0n, feePpm: 0n },
  });
  return {
    clock,
    /** Polls the feed this many times, two seconds apart. */
    async hears(says: (response: ServerResponse) => void, times = 1) {
      answer = says;
      for (let i = 0; i < times; i++) {
        clock.nowMs += 2_000;
        await feed.poll();
      }
    },
    async quotes(): Promise<number | null> {
      const command = partner.quote({ side: "buy", goldMicrograms: 1_000_000n }, {
        receivedAtMs: clock.nowMs,
      });
      const quoted = await trading.quote(command);
      if (quoted.ok) return Number(quoted.value.pricePerGramTenThousandths) / 10_000;
      assertEquals(quoted.code, "price_unavailable");
      return null;
    },
    close: () => feed.close(),
  };
}

const says = (text: string) => (response: ServerResponse) => void response.end(text);
const mid = (price: number) => says(`{"mid":${price}}`);

/** A market whose feed is good so far. */
async function goodMarket() {
  const market = await openMarket();
  await market.hears(mid(485), 4);
  assertEquals(await market.quotes(), 485);
  return market;
}

test("the last price of a dead feed is quoted up to the age limit, and the next good one at once", async () => {
  const market = await goodMarket();
  try {
    const dead = (response: ServerResponse) => void response.destroy();
    await market.hears(dead, 5);
    assertEquals(await market.quotes(), 485);
    await market.hears(dead, 3);
    assertEquals(await market.quotes(), null);
    await market.hears(mid(486));
    assertEquals(await market.quotes(), 486);
  } finally {
    market.close();
  }
});

test("a feed frozen at one price is not quoted after 15 minutes, until the price moves again", async () => {
  const market = await goodMarket();
  try {
    await market.hears(mid(485), 451);
    assertEquals(await market.quotes(), null);
    await market.hears(mid(485.5));
    assertEquals(await market.quotes(), 485.5);
  } finally {
    market.close();
  }
});

test("a jump of 30 % is not quoted until the level is confirmed, and a single wrong answer never", async () => {
  const market = await goodMarket();
  try {
    await market.hears(mid(630.5));
    assertEquals(await market.quotes(), null);
    await market.hears(mid(485));
    assertEquals(await market.quotes(), 485);
    await market.hears(mid(630.5), 2);
    assertEquals(await market.quotes(), null);
    await market.hears(mid(631));
    assertEquals(await market.quotes(), 631);
  } finally {
    market.close();
  }
});

test("a feed that answers nonsense is never quoted", async () => {
  const market = await goodMarket();
  try {
    const nonsense = [
      "",
      "<html>",
      '{"mid":null}',
      '{"mid":0}',
      '{"mid":-485}',
      '{"mid":48500000}',
    ];
    for (const text of nonsense) await market.hears(says(text));
    assertEquals(await market.quotes(), 485);
    for (const text of nonsense) await market.hears(says(text));
    assertEquals(await market.quotes(), null);
    await market.hears(mid(485.25));
    assertEquals(await market.quotes(), 485.25);
  } finally {
    market.close();
  }
});
