import { test } from "node:test";
import { createServer, type ServerResponse } from "node:http";
import { assertEquals, assertStringIncludes } from "@std/assert";
import { plainFetch } from "@sabika/network";
import { listen } from "../../../test/support/listen.ts";
import { type FeedSettings, feedSettingsToJson, readFeedSettings } from "./feed_settings.ts";
import { askFeed, createHttpFeed } from "./http_feed.ts";
import { readFeedAnswer } from "./read_feed_answer.ts";

function settings(more: Record<string, unknown> = {}): FeedSettings {
  const json = { url: "https://feed.example/gold", path: "$.rates.XAU[0]", ...more };
  const read = readFeedSettings(json);
  if (typeof read === "string") throw new Error(read);
  return read;
}

async function withFeed(
  body: (url: string, answer: { with: (response: ServerResponse) => void }) => Promise<void>,
): Promise<void> {
  const answer = { with: (response: ServerResponse) => void response.end() };
  const server = createServer((_, response) => answer.with(response));
  const port = await listen(server);
  try {
    await body(`http://127.0.0.1:${port}/gold`, answer);
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

test("a price is read exactly from its text, per gram or from dollars an ounce by the peg", () => {
  const read = (text: string, more = {}) => {
    const reading = readFeedAnswer(settings(more), `{"rates":{"XAU":[${text}]}}`);
    return typeof reading === "string" ? reading : reading.midTenThousandths;
  };
  assertEquals(read("485.1234"), 4_851_234n);
  assertEquals(read('"485.12345"'), 4_851_235n);
  // 4023.5 USD × 3.75 ÷ 31.1034768 g = 485.09448… SAR a gram.
  assertEquals(read("4023.5", { unit: "usd_per_troy_ounce" }), 4_850_945n);
});

test("an invalid price is refused", () => {
  const cases = [
    "",
    "<html>",
    "null",
    "[]",
    "{}",
    '{"rates":{}}',
    '{"rates":{"XAU":[]}}',
    ...["null", '""', '"n/a"', "-485", "0", "1", "4850000", "4e2", "true", "[485]", '"0x1e5"']
      .map((value) => `{"rates":{"XAU":[${value}]}}`),
    '{"rates":{"XAU":[485]},"rates":{"XAU":[999]}}',
    "NaN",
    '{"rates":{"XAU":[NaN]}}',
  ];
  for (const text of cases) {
    assertEquals(typeof readFeedAnswer(settings(), text), "string", text);
  }
  const timed = settings({ path: "$.p", time_path: "$.t" });
  for (const t of ['"soon"', "12", "null"]) {
    assertEquals(typeof readFeedAnswer(timed, `{"p":485,"t":${t}}`), "string", t);
  }
  for (const t of ['"2026-11-20T09:00:00Z"', "1795165200", "1795165200000"]) {
    const reading = readFeedAnswer(timed, `{"p":485,"t":${t}}`);
    assertEquals(typeof reading === "string" ? reading : reading.asOfMs, 1_795_165_200_000);
  }
});

test("settings can be stored and read, and wrong ones are refused with the reason", () => {
  const kept = settings({ unit: "usd_per_troy_ounce", max_jump: "0.05", time_path: "t" });
  assertEquals(readFeedSettings(feedSettingsToJson(kept)), kept);
  const cases: [Record<string, unknown>, string][] = [
    [{ url: "http://feed.example" }, "https"],
    [{ path: "$..x" }, "path"],
    [{ unit: "usd" }, "unit"],
    [{ peg: "0" }, "peg"],
    [{ max_jump: "2" }, "jump"],
    [{ poll_ms: 1 }, "milliseconds"],
    [{ least: "5000", most: "100" }, "least"],
  ];
  for (const [more, reason] of cases) {
    const read = readFeedSettings({ url: "https://f.example", path: "x", ...more });
    assertStringIncludes(typeof read === "string" ? read : "accepted", reason);
  }
});

test("a feed that fails, redirects or floods has no price until it works again", () =>
  withFeed(async (url, answer) => {
    let nowMs = 1_000_000;
    const reasons: string[] = [];
    const feed = createHttpFeed(settings({ url, path: "x", poll_ms: 3_600_000, agreeing: 2 }), {
      fetch: plainFetch,
      now: () => nowMs,
      onRefused: ({ reason }) => reasons.push(reason),
    });
    const price = async (text: string) => {
      answer.with = (response) => void response.end(text);
      for (let i = 0; i < 3; i++) await feed.poll();
      const latest = feed.latest(nowMs);
      return latest.ok ? latest.midTenThousandths : null;
    };
    try {
      assertEquals(await price('{"x":485}'), 4_850_000n);
      const troubles: [(response: ServerResponse) => void, string][] = [
        [(response) => void response.destroy(), "does not answer"],
        [(response) => void response.writeHead(500).end('{"x":1}'), "500"],
        [(response) => void response.writeHead(302, { location: url }).end(), "does not answer"],
        [(response) => void response.end(" ".repeat(300_000)), "too long"],
        [(response) => void response.end(new Uint8Array([0xff, 0xfe])), "does not answer"],
      ];
      for (const [trouble, reason] of troubles) {
        answer.with = trouble;
        await feed.poll();
        assertStringIncludes(reasons.at(-1) ?? "", reason);
        assertEquals(feed.latest(nowMs).ok, true);
      }
      nowMs += 15_001;
      assertEquals(feed.latest(nowMs).ok, false);
      assertEquals(await price('{"x":486}'), 4_860_000n);
    } finally {
      feed.close();
    }
  }));

test("a request to a feed that hangs ends at its time limit", () =>
  withFeed(async (url, answer) => {
    answer.with = () => {};
    assertEquals(
      await askFeed(settings({ url, path: "x", poll_ms: 1_000 }), plainFetch),
      "the feed does not answer",
    );
  }));
