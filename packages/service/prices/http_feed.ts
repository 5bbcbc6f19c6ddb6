import type { PlainFetch } from "@sabika/network";
import {
  acceptedPrice,
  acceptReading,
  type FeedState,
  NO_ANSWER_YET,
  withoutReading,
} from "./accept_price.ts";
import type { FeedSettings } from "./feed_settings.ts";
import type { PriceSource } from "./price_source.ts";
import { type FeedReading, readFeedAnswer } from "./read_feed_answer.ts";

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
  /** For tests: called with the reason when an answer is not used. */
  onTrouble?: (reason: string) => void;
}

const LONGEST_ANSWER_BYTES = 262_144;
const LONGEST_WAIT_MS = 10_000;

/**
 * Polls a feed from now on, until `close()`. Only prices that `acceptReading` accepts are quoted: while a
 * feed is down, frozen, jumping or answering nonsense, there is no price.
 */
export function createHttpFeed(settings: FeedSettings, parts: HttpFeedParts): HttpFeed {
  let state: FeedState = NO_ANSWER_YET;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let closed = false;

  async function poll(): Promise<void> {
    const polledAtMs = parts.now();
    const reading = await askFeed(settings, parts.fetch);
    if (closed) return;
    if (typeof reading === "string") {
      state = withoutReading(state);
      parts.onTrouble?.(reading);
    } else {
      const wasConfirmed = state.unconfirmed === null;
      state = acceptReading(state, settings, reading, polledAtMs);
      if (wasConfirmed && state.unconfirmed !== null) {
        parts.onTrouble?.("the price jumped beyond the limit");
      }
    }
  }

  async function loop(): Promise<void> {
    await poll();
    if (!closed) timer = setTimeout(loop, settings.pollMs);
  }
  timer = setTimeout(loop, 0);

  return {
    latest: (nowMs) => acceptedPrice(state, settings, nowMs),
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
