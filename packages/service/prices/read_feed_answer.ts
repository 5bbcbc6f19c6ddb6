import { JsonNumber, type JsonValue, parseJson } from "@sabika/protocol";
import type { FeedSettings } from "./feed_settings.ts";
import { followJsonPath, readJsonPath } from "./json_path.ts";

/** What a feed's answer says. */
export interface FeedReading {
  midTenThousandths: bigint;
  /** The number as it came. */
  rawValue?: string;
  /** Null when the feed does not say. */
  asOfMs: number | null;
}

/** A troy ounce is 31.1034768 g exactly. */
const TROY_OUNCE_TENTHS_OF_MICROGRAM = 311_034_768n;
const SCALE = 10n ** 10n;

/**
 * Reads a feed's answer. The number is taken from its source text, never through a binary fraction.
 *
 * @returns the reading, or why it is nonsense, in words without the answer's text
 */
export function readFeedAnswer(settings: FeedSettings, text: string): FeedReading | string {
  let json: JsonValue;
  try {
    json = parseJson(text);
  } catch {
    return "the answer is not JSON";
  }
  const value = followJsonPath(json, readJsonPath(settings.path) ?? []);
  const rawValue = value instanceof JsonNumber ? value.text : String(value);
  const scaled = readScaled(value);
  if (scaled === undefined) return `there is no number at ${settings.path}`;
  const midTenThousandths = settings.unit === "sar_per_gram"
    ? divideRounded(scaled * 10_000n, SCALE)
    : divideRounded(
      scaled * settings.pegTenThousandths * 10_000_000n,
      SCALE * TROY_OUNCE_TENTHS_OF_MICROGRAM,
    );
  if (
    midTenThousandths < settings.leastTenThousandths ||
    midTenThousandths > settings.mostTenThousandths
  ) return "the number is no plausible price of gold";
  if (settings.timePath === undefined) return { midTenThousandths, rawValue, asOfMs: null };
  const asOfMs = readTime(followJsonPath(json, readJsonPath(settings.timePath) ?? []));
  if (asOfMs === undefined) return `there is no time at ${settings.timePath}`;
  return { midTenThousandths, rawValue, asOfMs };
}

/** A JSON number, or text that is one, in units of 10⁻¹⁰. */
function readScaled(value: JsonValue | undefined): bigint | undefined {
  const text = value instanceof JsonNumber ? value.text : value;
  if (typeof text !== "string") return undefined;
  const match = /^([0-9]{1,12})(?:\.([0-9]{1,40}))?$/.exec(text);
  if (match === null) return undefined;
  return BigInt(match[1]! + (match[2] ?? "").slice(0, 10).padEnd(10, "0"));
}

function readTime(value: JsonValue | undefined): number | undefined {
  const text = value instanceof JsonNumber ? value.text : value;
  if (typeof text !== "string") return undefined;
  if (/^[0-9]{9,10}(\.[0-9]+)?$/.test(text)) return Math.floor(Number(text) * 1000);
  if (/^[0-9]{12,13}$/.test(text)) return Number(text);
  const ms = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d/.test(text) ? Date.parse(text) : NaN;
  return Number.isNaN(ms) ? undefined : ms;
}

function divideRounded(dividend: bigint, divisor: bigint): bigint {
  return (dividend + divisor / 2n) / divisor;
}
