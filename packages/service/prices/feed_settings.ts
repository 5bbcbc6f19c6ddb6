import { formatDecimal, parseDecimal, parsePrice } from "@sabika/protocol";
import { readJsonPath } from "./json_path.ts";

/** Where an HTTP feed is and which of its prices are accepted. */
export interface FeedSettings {
  url: string;
  /** The path of the price in the answer, such as `$.rates.XAU[0]`. */
  path: string;
  /** The path of the price's time in the answer (RFC 3339, or Unix seconds or milliseconds). */
  timePath?: string;
  unit: "sar_per_gram" | "usd_per_troy_ounce";
  /** Riyals per dollar in ten-thousandths; the riyal is pegged at 3.75. */
  pegTenThousandths: bigint;
  pollMs: number;
  /** An older price is not used. */
  maxAgeMs: number;
  /** Without a time path: a feed that repeats one number for this long counts as frozen; 0 = never. */
  maxStillMs: number;
  /** A greater change from one price to the next stops quoting. */
  maxJumpPpm: bigint;
  /** How many answers in a row must agree at the start and after quoting stopped. */
  agreeing: number;
  /** A number outside these bounds is not a price of gold; ten-thousandths of a riyal per gram. */
  leastTenThousandths: bigint;
  mostTenThousandths: bigint;
}

/** The settings that apply unless the operator sets others. */
export const FEED_DEFAULTS = {
  unit: "sar_per_gram",
  pegTenThousandths: 37_500n,
  pollMs: 2_000,
  maxAgeMs: 15_000,
  maxStillMs: 900_000,
  maxJumpPpm: 30_000n,
  agreeing: 3,
  leastTenThousandths: 1_000_000n,
  mostTenThousandths: 50_000_000n,
} as const satisfies Omit<FeedSettings, "url" | "path">;

/** A feed's URL without its query, which may hold a key. */
export function feedUrlForPeople(url: string): string {
  return url.includes("?") ? `${url.slice(0, url.indexOf("?"))}?…` : url;
}

/** The stored form of settings: a JSON object whose amounts are text. */
export type FeedSettingsJson = Record<string, string | number>;

/** Makes the stored form of settings. */
export function feedSettingsToJson(settings: FeedSettings): FeedSettingsJson {
  return {
    url: settings.url,
    path: settings.path,
    ...(settings.timePath === undefined ? {} : { time_path: settings.timePath }),
    unit: settings.unit,
    peg: formatDecimal(settings.pegTenThousandths, 4),
    poll_ms: settings.pollMs,
    max_age_ms: settings.maxAgeMs,
    max_still_ms: settings.maxStillMs,
    max_jump: formatDecimal(settings.maxJumpPpm, 6),
    agreeing: settings.agreeing,
    least: formatDecimal(settings.leastTenThousandths, 4),
    most: formatDecimal(settings.mostTenThousandths, 4),
  };
}

/**
 * Reads settings in their stored form, or as an operator entered them; missing ones get their default.
 *
 * @returns the settings, or what is wrong with them in words
 */
export function readFeedSettings(json: Record<string, unknown>): FeedSettings | string {
  const url = json["url"];
  if (typeof url !== "string" || !isFeedUrl(url)) {
    return "the feed's URL begins with https:// (http:// on this machine alone), without a password";
  }
  const path = json["path"];
  const timePath = json["time_path"];
  if (typeof path !== "string" || readJsonPath(path) === undefined) {
    return "the path names members and indexes, such as $.rates.XAU[0]";
  }
  if (
    timePath !== undefined && (typeof timePath !== "string" || readJsonPath(timePath) === undefined)
  ) return "the time path names members and indexes, such as $.updated_at";
  const unit = json["unit"] ?? FEED_DEFAULTS.unit;
  if (unit !== "sar_per_gram" && unit !== "usd_per_troy_ounce") {
    return "the unit is sar_per_gram or usd_per_troy_ounce";
  }
  const whole = (name: string, otherwise: number, least: number): number => {
    const value = json[name] ?? otherwise;
    return typeof value === "number" && Number.isSafeInteger(value) && value >= least ? value : NaN;
  };
  const amount = (name: string, otherwise: bigint, scale: number): bigint => {
    const text = json[name];
    if (text === undefined) return otherwise;
    const parsed = scale === 4 ? parsePrice(String(text)) : parseDecimal(String(text), 6, 6);
    return parsed.ok ? parsed.value : -1n;
  };
  const settings: FeedSettings = {
    url,
    path,
    ...(timePath === undefined ? {} : { timePath }),
    unit,
    pegTenThousandths: amount("peg", FEED_DEFAULTS.pegTenThousandths, 4),
    pollMs: whole("poll_ms", FEED_DEFAULTS.pollMs, 50),
    maxAgeMs: whole("max_age_ms", FEED_DEFAULTS.maxAgeMs, 1),
    maxStillMs: whole("max_still_ms", FEED_DEFAULTS.maxStillMs, 0),
    maxJumpPpm: amount("max_jump", FEED_DEFAULTS.maxJumpPpm, 6),
    agreeing: whole("agreeing", FEED_DEFAULTS.agreeing, 1),
    leastTenThousandths: amount("least", FEED_DEFAULTS.leastTenThousandths, 4),
    mostTenThousandths: amount("most", FEED_DEFAULTS.mostTenThousandths, 4),
  };
  const { pollMs, maxAgeMs, maxStillMs, agreeing, leastTenThousandths: least } = settings;
  if ([pollMs, maxAgeMs, maxStillMs, agreeing].some(Number.isNaN)) {
    return "times are whole milliseconds, and the number of agreeing answers is at least 1";
  }
  if (settings.pegTenThousandths <= 0n) return "the peg is above zero";
  if (settings.maxJumpPpm <= 0n || settings.maxJumpPpm > 1_000_000n) {
    return "the jump limit is above 0 and at most 100 %";
  }
  if (least <= 0n || least >= settings.mostTenThousandths) {
    return "the least plausible price is above zero and below the highest";
  }
  return settings;
}

function isFeedUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, username, password } = new URL(text);
  if (username !== "" || password !== "") return false;
  const isHere = ["localhost", "127.0.0.1", "[::1]"].includes(hostname);
  return protocol === "https:" || (protocol === "http:" && isHere);
}
