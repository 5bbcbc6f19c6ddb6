import { buildRouteMap } from "@stricli/core";
import type { askFeed, PriceOrigin } from "@sabika/service/prices";
import {
  FEED_DEFAULTS,
  feedSettingsToJson,
  feedUrlForPeople,
  readFeedSettings,
} from "@sabika/service/without-database";
import { encodeUtf8, formatDecimal, formatPrice, formatTime, sha256Hex } from "@sabika/protocol";
import { acting } from "../command/acting.ts";
import { command, neededFlag, readFlag, switchFlag, textFlag } from "../command/command.ts";
import { amount, type Json, time } from "../command/json.ts";
import { RefusedError } from "../outcome.ts";
import {
  duration,
  formatPercent,
  percent,
  price as readPrice,
  text,
  whole,
} from "../command/parsers.ts";
import { readCommands } from "../command/read_commands.ts";
import { list } from "../command/table.ts";
import { priceOfOffice } from "./price_of_office.ts";

const show = command<object, []>({
  brief: "Show where prices come from; for a feed, its price now",
  examples: ["price show"],
  async run(session) {
    if (session.office !== undefined) return await priceOfOffice(session);
    const { askFeed, readPriceSettings } = await import("@sabika/service/prices");
    const { sql } = await session.database();
    // Only a price feed needs the master key.
    const open = async (identity: string, sealed: Uint8Array) =>
      (await session.adminContext()).secrets.open(identity, sealed);
    const settings = await readPriceSettings(sql, { open });
    if (settings === undefined) {
      throw new RefusedError(
        "invalid_setting",
        "the price settings cannot be read: set them again",
      );
    }
    const { origin, paused, updatedAtMs } = settings;
    const reading = origin.source === "feed"
      ? await askFeed(origin.feed, session.surroundings.fetch)
      : undefined;
    const now = reading === undefined ? [] : [
      [
        "says now",
        typeof reading === "string"
          ? reading
          : `${formatPrice(reading.midTenThousandths)} SAR per gram`,
      ] as const,
    ];
    return {
      json: {
        source: origin.source,
        paused,
        updated_at: time(updatedAtMs),
        settings: describeJson(origin),
        ...(reading === undefined ? {} : { now: readingJson(reading) }),
      },
      text: list([
        ["source", origin.source],
        ["quoting", paused ? "paused" : "yes"],
        ...describe(origin),
        ...now,
        ["set", formatTime(updatedAtMs)],
      ]),
    };
  },
});

const setSimulated = command<{ seed?: number; base?: bigint }, []>({
  brief: "A simulated price; sandbox only",
  examples: ["price set simulated", "price set simulated --seed 7 --base 500"],
  flags: {
    seed: readFlag(whole, "The same seed gives the same prices", "NUMBER"),
    base: readFlag(readPrice, "The level that it moves around, SAR per gram", "PRICE"),
  },
  async run(session, { seed, base }) {
    const base_price_sar = base === undefined ? undefined : formatPrice(base);
    await session.act("price.set", { source: "simulated", seed, base_price_sar });
    return { json: { source: "simulated" }, text: "prices are simulated\n" };
  },
});

const setFixed = command<object, [bigint]>({
  brief: "One price until another is set",
  examples: ["price set fixed 485.25"],
  args: [["PRICE", "The mid price, SAR per gram", readPrice]],
  async run(session, _flags, mid) {
    const text = formatPrice(mid);
    await session.act("price.set", { source: "fixed", mid_price_sar: text });
    return {
      json: { source: "fixed", mid_price_sar: amount(text) },
      text: `the price is ${text} SAR per gram\n`,
    };
  },
});

interface FeedFlags {
  path: string;
  timePath?: string;
  usdPerOunce: boolean;
  peg?: bigint;
  poll?: number;
  maxAge?: number;
  maxStill?: number;
  maxJump?: bigint;
  agreeing?: number;
  least?: bigint;
  most?: bigint;
  unchecked: boolean;
}

const setFeed = command<FeedFlags, [string]>({
  brief: "A price that is polled over HTTP",
  more: "A feed that fails, freezes, jumps beyond the limit or returns nonsense stops quoting\n" +
    "(503 price_unavailable); quoting resumes by itself once --agreeing responses in a row\n" +
    "agree with one another, or are back within the limit of the last good price.\n" +
    "The feed is polled once before it is set.",
  examples: [
    "price set feed https://prices.example/gold --path '$.sar_per_gram'",
    "price set feed https://prices.example/xau --path '$.rates.XAUUSD' --time-path '$.updated' \\\n" +
    "    --usd-per-ounce --max-age 10s --max-jump 2%",
  ],
  flags: {
    path: neededFlag(text, "Where the price is in the response", "JSONPATH", {
      question: "Where is the price in the response, such as $.sar_per_gram?",
      otherwise: "say where the price is in the response: --path JSONPATH",
    }),
    timePath: textFlag("Where the response has the time of the price", "JSONPATH"),
    usdPerOunce: switchFlag("It is in USD per troy ounce; converted by the peg"),
    peg: readFlag(readPrice, "SAR per USD (3.75)", "RATE"),
    poll: readFlag(duration, `How often it is polled (${FEED_DEFAULTS.pollMs / 1000}s)`, "TIME"),
    maxAge: readFlag(duration, `Age limit (${FEED_DEFAULTS.maxAgeMs / 1000}s)`, "TIME"),
    maxStill: readFlag(
      duration,
      `Without --time-path: frozen after (${FEED_DEFAULTS.maxStillMs / 60_000}m; 0s = never)`,
      "TIME",
    ),
    maxJump: readFlag(
      percent,
      `Jump limit (${formatPercent(FEED_DEFAULTS.maxJumpPpm)}%)`,
      "PERCENT",
    ),
    agreeing: readFlag(whole, `Responses that must agree (${FEED_DEFAULTS.agreeing})`, "NUMBER"),
    least: readFlag(
      readPrice,
      `Least plausible price (${formatPrice(FEED_DEFAULTS.leastTenThousandths)})`,
      "PRICE",
    ),
    most: readFlag(
      readPrice,
      `Highest plausible price (${formatPrice(FEED_DEFAULTS.mostTenThousandths)})`,
      "PRICE",
    ),
    unchecked: switchFlag("Set it even if it does not answer now"),
  },
  args: [["URL", "https://…"]],
  async run(session, flags, url) {
    const feed = readFeedSettings({
      url,
      path: flags.path,
      time_path: flags.timePath,
      unit: flags.usdPerOunce ? "usd_per_troy_ounce" : "sar_per_gram",
      peg: text4(flags.peg),
      poll_ms: flags.poll,
      max_age_ms: flags.maxAge,
      max_still_ms: flags.maxStill,
      max_jump: flags.maxJump === undefined ? undefined : formatDecimal(flags.maxJump, 6),
      agreeing: flags.agreeing,
      least: text4(flags.least),
      most: text4(flags.most),
    });
    if (typeof feed === "string") throw new RefusedError("invalid_setting", feed);
    const { askFeed } = await import("@sabika/service/prices");
    const reading = await askFeed(feed, session.surroundings.fetch);
    if (typeof reading === "string" && !flags.unchecked) {
      throw new RefusedError("feed_unusable", `${reading}; --unchecked sets it anyway`);
    }
    const shown = feedUrlForPeople(url);
    // The signed act has only the hash of the whole URL, whose query may hold a key.
    const url_sha256 = await sha256Hex(encodeUtf8(url));
    const shownFeed = { ...feedSettingsToJson(feed), url: shown };
    await session.act("price.set", { source: "feed", feed: shownFeed, url_sha256 }, url);
    const now = typeof reading === "string" ? null : formatPrice(reading.midTenThousandths);
    return {
      json: { source: "feed", url: shown, mid_price_sar: now === null ? null : amount(now) },
      text: `prices come from ${shown}${now === null ? "" : `, now ${now} SAR per gram`}\n`,
    };
  },
});

const pause = acting("price.pause", {
  brief: "Stop quoting: 503 price_unavailable within a second",
  examples: ["price pause"],
  args: {},
  json: () => ({ paused: true }),
  text: () => "quoting is paused",
});

const resume = acting("price.resume", {
  brief: "Resume quoting; a feed's new level is accepted",
  examples: ["price resume"],
  args: {},
  json: () => ({ paused: false }),
  text: () => "quoting resumes",
});

/** `sabika price …` */
export const price = buildRouteMap({
  docs: { brief: "Where prices come from" },
  routes: {
    show,
    set: buildRouteMap({
      docs: { brief: "Set where prices come from" },
      routes: { simulated: setSimulated, fixed: setFixed, feed: setFeed },
    }),
    pause,
    resume,
    ...readCommands("price"),
  },
});

function readingJson(reading: Awaited<ReturnType<typeof askFeed>>): Json {
  if (typeof reading === "string") return { error: reading };
  return { mid_price_sar: amount(formatPrice(reading.midTenThousandths)) };
}

function text4(value: bigint | undefined): string | undefined {
  return value === undefined ? undefined : formatDecimal(value, 4);
}

function describe(origin: PriceOrigin): (readonly [string, string])[] {
  if (origin.source === "fixed") {
    return [["price", `${formatPrice(origin.midTenThousandths)} SAR per gram`]];
  }
  if (origin.source === "simulated") return [];
  const { feed } = origin;
  return [
    ["URL", feedUrlForPeople(feed.url)],
    ["path", feed.path],
    ["unit", feed.unit.replaceAll("_", " ")],
    ["age limit", `${feed.maxAgeMs / 1000} s`],
    ["jump limit", `${formatPercent(feed.maxJumpPpm)} %`],
    ["has to agree", `${feed.agreeing} times, polled every ${feed.pollMs / 1000} s`],
  ];
}

function describeJson(origin: PriceOrigin): Json {
  if (origin.source === "fixed") {
    return { mid_price_sar: amount(formatPrice(origin.midTenThousandths)) };
  }
  if (origin.source === "simulated") {
    return {
      ...(origin.seed === undefined ? {} : { seed: origin.seed }),
      ...(origin.baseTenThousandths === undefined
        ? {}
        : { base_price_sar: amount(formatPrice(origin.baseTenThousandths)) }),
    };
  }
  const { feed } = origin;
  return {
    url: feedUrlForPeople(feed.url),
    path: feed.path,
    time_path: feed.timePath ?? null,
    unit: feed.unit,
    peg: amount(formatDecimal(feed.pegTenThousandths, 4)),
    poll_ms: feed.pollMs,
    max_age_ms: feed.maxAgeMs,
    max_still_ms: feed.maxStillMs,
    max_jump_percent: amount(formatPercent(feed.maxJumpPpm)),
    agreeing: feed.agreeing,
  };
}
