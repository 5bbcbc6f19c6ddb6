import type { PlainFetch } from "../../network/plain_fetch.ts";
import { type Belief, believe, believedPrice, disbelieve, NO_BELIEF } from "./believe_price.ts";
import type { FeedSettings } from "./feed_settings.ts";
import type { PriceSource } from "./price_source.ts";
import { type FeedReading, readFeedAnswer } from "./read_feed_answer.ts";

/** A price source that polls a feed over HTTP. */
export interface HttpFeed extends PriceSource {
  /** Asks once, now; the timer does so too. Never rejects. */
  poll(): Promise<void>;
  close(): void;
}

export interface HttpFeedParts {
  /** `plainFetch`, or what takes its place. */
  fetch: PlainFetch;
  now: () => number;
  /** Told why an answer was not used. */
  onTrouble?: (reason: string) => void;
}

const LONGEST_ANSWER_BYTES = 262_144;
const LONGEST_WAIT_MS = 10_000;

/**
 * Polls a feed from now on, until `close()`. What is quoted is what `believe` believes: a feed that dies,
 * freezes, jumps or answers nonsense ends in "no price", and good answers mend it.
 */
export function createHttpFeed(settings: FeedSettings, parts: HttpFeedParts): HttpFeed {
  let belief: Belief = NO_BELIEF;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let closed = false;

  async function poll(): Promise<void> {
    const polledAtMs = parts.now();
    const reading = await askFeed(settings, parts.fetch);
    if (closed) return;
    if (typeof reading === "string") {
      belief = disbelieve(belief);
      parts.onTrouble?.(reading);
    } else {
      const wasDoubted = belief.doubted !== null;
      belief = believe(belief, settings, reading, polledAtMs);
      if (!wasDoubted && belief.doubted !== null) {
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
    latest: (nowMs) => believedPrice(belief, settings, nowMs),
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
