import type { PlainFetch } from "@sabika/network";
import { formatDecimal } from "@sabika/protocol";
import {
  acceptedPrice,
  acceptReading,
  type FeedState,
  NO_ANSWER_YET,
  refusedBecause,
  withoutReading,
} from "./accept_price.ts";
import type { FeedSettings } from "./feed_settings.ts";
import type { LatestPrice, PriceSource } from "./price_source.ts";
import { type FeedReading, readFeedAnswer } from "./read_feed_answer.ts";
import type { RefusedPrice } from "./record_price.ts";

/** A price source that polls a feed over HTTP. */
export interface HttpFeed extends PriceSource {
  /** Polls once now, as the timer does. Never rejects. */
  poll(): Promise<void>;
  close(): void;
}

/** What a feed is asked with. `now` is epoch milliseconds. */
export interface HttpFeedParts {
  /** `plainFetch`, or what takes its place. */
  fetch: PlainFetch;
  now: () => number;
  /** Called with each answer that is not quoted at, and the reason. */
  onRefused?: (refused: RefusedPrice) => void;
}

const LONGEST_ANSWER_BYTES = 262_144;
const LONGEST_WAIT_MS = 10_000;

/**
 * Polls a feed from now on, until `close()`. Only prices that `acceptReading` accepts are quoted: while a
 * feed is down, frozen, jumping or answering nonsense, there is no price.
 */
export function createHttpFeed(settings: FeedSettings, parts: HttpFeedParts): HttpFeed {
  const origin = new URL(settings.url).host;
  let state: FeedState = NO_ANSWER_YET;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let closed = false;

  async function poll(): Promise<void> {
    const polledAtMs = parts.now();
    const reading = await askFeed(settings, parts.fetch);
    if (closed) return;
    if (typeof reading === "string") {
      state = withoutReading(state);
      parts.onRefused?.({ reason: reading, origin, reading: null });
    } else {
      const before = state;
      state = acceptReading(before, settings, reading, polledAtMs);
      const reason = refusedBecause(before, state, settings, polledAtMs);
      if (reason !== undefined) parts.onRefused?.({ reason, origin, reading });
    }
  }

  const isPerGram = settings.unit === "sar_per_gram";
  const raw_unit = isPerGram ? "SAR/g" : "USD/oz t";
  const peg = formatDecimal(settings.pegTenThousandths, 4);
  const conversion = isPerGram ? null : `× ${peg} SAR/USD ÷ 31.1034768 g/oz t`;

  /** The latest price with where it came from. */
  function latest(nowMs: number): LatestPrice {
    const found = acceptedPrice(state, settings, nowMs);
    const { rawValue, accepted } = state.price ?? {};
    if (!found.ok || rawValue === undefined || accepted === undefined) return found;
    return { ...found, origin: { origin, raw_value: rawValue, raw_unit, conversion, accepted } };
  }

  async function loop(): Promise<void> {
    await poll();
    if (!closed) timer = setTimeout(loop, settings.pollMs);
  }
  timer = setTimeout(loop, 0);

  return {
    latest,
    poll,
    close() {
      closed = true;
      clearTimeout(timer);
    },
  };
}

/** Asks a feed once. */
export async function askFeed(
  settings: FeedSettings,
  fetchFeed: PlainFetch,
): Promise<FeedReading | string> {
  const waitMs = Math.min(LONGEST_WAIT_MS, Math.max(1_000, settings.pollMs));
  try {
    const response = await fetchFeed(settings.url, {
      headers: { accept: "application/json" },
      redirect: "error",
      signal: AbortSignal.timeout(waitMs),
    });
    if (!response.ok) {
      await response.body?.cancel();
      return `the feed answered ${response.status}`;
    }
    const text = await readText(response);
    return text === undefined ? "the answer is too long" : readFeedAnswer(settings, text);
  } catch {
    return "the feed does not answer";
  }
}

async function readText(response: Response): Promise<string | undefined> {
  const reader = response.body?.getReader();
  if (reader === undefined) return "";
  const chunks: Uint8Array[] = [];
  let length = 0;
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    length += part.value.length;
    if (length > LONGEST_ANSWER_BYTES) {
      await reader.cancel();
      return undefined;
    }
    chunks.push(part.value);
  }
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
}
