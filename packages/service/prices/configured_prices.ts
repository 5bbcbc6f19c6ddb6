import type { Environment } from "@sabika/protocol";
import type { Database } from "@sabika/database";
import type { Secrets } from "@sabika/identity/secrets";
import { createFixedPrice } from "./fixed.ts";
import { createHttpFeed, type HttpFeedParts } from "./http_feed.ts";
import {
  isForSale,
  type PriceOrigin,
  type PriceSettings,
  readPriceSettings,
} from "./price_settings.ts";
import { PRICE_UNAVAILABLE, type PriceSource } from "./price_source.ts";
import { keepRefusedPrice } from "./record_price.ts";
import { createScenarioPrice, readPriceScenario } from "./scenario_price.ts";
import { createSimulatedPrice } from "./simulated.ts";
import type { StoredPriceScenario } from "./tables.ts";

/** The price source that the operator set, followed as it is changed. */
export interface ConfiguredPrices extends PriceSource {
  /** Reads the settings now. */
  refresh(): Promise<void>;
  close(): void;
}

/**
 * Follows the settings in the database: polls them, and replaces the source when they change. While they
 * cannot be read or understood, the last settings stay in force; before the first reading there is no price.
 *
 * @param options.pollMs for tests: pause between two readings of the settings
 */
export function createConfiguredPrices(
  options: HttpFeedParts & {
    database: Database;
    secrets: Pick<Secrets, "open">;
    environment: Environment;
    pollMs?: number;
    /** What was set before, to begin with. */
    initial?: PriceSettings | undefined;
    onError?: (error: unknown) => void;
  },
): ConfiguredPrices {
  const { database, database: { sql }, secrets, environment, pollMs = 500 } = options;
  const parts: HttpFeedParts = {
    ...options,
    onRefused(refused) {
      options.onRefused?.(refused);
      keepRefusedPrice(database, refused).catch((error: unknown) => {
        if (!closed) options.onError?.(error);
      });
    },
  };
  let settings: (PriceSettings & { scenario: StoredPriceScenario | undefined }) | undefined;
  let source: PriceSource | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let closed = false;
  let poll: Promise<void> | undefined;

  async function pollOnce(): Promise<void> {
    const read = await readPriceSettings(sql, secrets);
    if (read === undefined) throw new Error("the price settings cannot be understood");
    const scenario = environment === "sandbox" ? await readPriceScenario(sql) : undefined;
    apply({ ...read, scenario });
  }

  function apply(found: NonNullable<typeof settings>): void {
    const { scenario } = found;
    if (closed || isSame(found, settings)) return;
    source?.close?.();
    source = undefined;
    settings = found;
    if (!found.paused && isForSale(found.origin, environment)) {
      const market = createSource(found.origin, parts);
      source = scenario ? createScenarioPrice(scenario, market) : market;
    }
  }

  function refresh(): Promise<void> {
    poll ??= pollOnce().finally(() => poll = undefined);
    return poll;
  }

  async function loop(): Promise<void> {
    await refresh().catch((error) => {
      if (!closed) options.onError?.(error);
    });
    if (!closed) timer = setTimeout(loop, pollMs);
  }
  timer = setTimeout(loop, pollMs);
  if (options.initial !== undefined) apply({ ...options.initial, scenario: undefined });

  return {
    latest: (nowMs) => source?.latest(nowMs) ?? PRICE_UNAVAILABLE,
    refresh,
    close() {
      closed = true;
      clearTimeout(timer);
      source?.close?.();
    },
  };
}

function createSource(origin: PriceOrigin, parts: HttpFeedParts): PriceSource {
  switch (origin.source) {
    case "simulated":
      return createSimulatedPrice(origin);
    case "fixed":
      return createFixedPrice(origin);
    case "feed":
      return createHttpFeed(origin.feed, parts);
  }
}

function isSame(a: PriceSettings, b: PriceSettings | undefined): boolean {
  const text = (settings: PriceSettings | undefined) =>
    JSON.stringify(settings, (_, value) => typeof value === "bigint" ? String(value) : value);
  return text(a) === text(b);
}
