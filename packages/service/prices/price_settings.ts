import { type Environment, formatPrice, parsePrice, refuse } from "@sabika/protocol";
import { eq } from "drizzle-orm";
import { drizzle, type Sql, type Transaction } from "@sabika/database";
import {
  sealedKeyIdentity,
  sealedKeyRow,
  sealedKeys,
  type Secrets,
} from "@sabika/identity/secrets";
import type { AdminOutcome } from "@sabika/terms";
import type { AdminContext } from "../audit/admin_context.ts";
import { writeAudit } from "../audit/audit.ts";
import { inTransaction } from "../audit/change.ts";
import {
  type FeedSettings,
  feedSettingsToJson,
  feedUrlForPeople,
  readFeedSettings,
} from "./feed_settings.ts";
import { priceSettings } from "./tables.ts";

/** Where prices come from, as the operator set it. */
export type PriceOrigin =
  | { source: "simulated"; seed?: number; baseTenThousandths?: bigint }
  | { source: "fixed"; midTenThousandths: bigint }
  | { source: "feed"; feed: FeedSettings };

/** The one row of `price_settings`. */
export interface PriceSettings {
  origin: PriceOrigin;
  paused: boolean;
  updatedAtMs: number;
}

/** The settings as they are kept, with a feed's URL sealed (Decision D116). */
export interface StoredPriceSettings
  extends Pick<typeof priceSettings.$inferSelect, "source" | "configuration" | "paused"> {
  readonly updatedAt: number;
  /** Null without a feed. */
  readonly sealed: Uint8Array | null;
}

/** The name in `sealed_keys` of a feed's URL, which may hold a key. */
const FEED_URL = "price_feed_url";

/**
 * Reads the settings; undefined when they cannot be understood, and then nothing may be quoted.
 *
 * @param secrets only used when a feed is set
 */
export async function readPriceSettings(
  sql: Sql,
  secrets: Pick<Secrets, "open">,
): Promise<PriceSettings | undefined> {
  const stored = await readStoredPriceSettings(sql);
  return stored && await openPriceSettings(stored, secrets);
}

/** Reads the settings without opening a feed's URL. */
export async function readStoredPriceSettings(sql: Sql): Promise<StoredPriceSettings | undefined> {
  const [row] = await drizzle(sql).select({ settings: priceSettings, sealed: sealedKeys.sealed })
    .from(priceSettings).leftJoin(sealedKeys, eq(sealedKeys.name, FEED_URL));
  if (row === undefined) return undefined;
  const { settings: { source, configuration, paused, updatedAt }, sealed } = row;
  return { source, configuration, paused, updatedAt, sealed };
}

/** Opens settings; undefined when they cannot be understood. */
export async function openPriceSettings(
  { source, paused, updatedAt, sealed, ...stored }: StoredPriceSettings,
  secrets: Pick<Secrets, "open">,
): Promise<PriceSettings | undefined> {
  const configuration = { ...stored.configuration };
  if (source === "feed" && sealed !== null) {
    const url = await secrets.open(sealedKeyIdentity(FEED_URL), sealed);
    configuration["url"] = new TextDecoder().decode(url);
  }
  const origin = originFromJson(source, configuration);
  if (typeof origin === "string") return undefined;
  return { origin, paused, updatedAtMs: updatedAt };
}

/** Sets where prices come from; instances follow within a second. */
export function setPriceOrigin(
  admin: AdminContext & { secrets: Secrets },
  origin: PriceOrigin,
): Promise<AdminOutcome<null>> {
  return inTransaction(admin, async (sql) => {
    const configuration = originToJson(origin);
    const checked = originFromJson(origin.source, configuration);
    if (typeof checked === "string") return refuse("invalid_setting", checked);
    if (!isForSale(origin, admin.environment)) {
      return refuse("wrong_environment", "a simulated price is for the sandbox only");
    }
    await sealFeedUrl(sql, admin, origin.source === "feed" ? origin.feed.url : undefined);
    const { source } = origin;
    const shown = withoutQuery(configuration);
    await drizzle(sql).update(priceSettings)
      .set({ source, configuration: shown, updatedAt: admin.now() });
    const detail = { source, configuration: JSON.stringify(shown) };
    await writeAudit(sql, admin, "price.set", null, detail);
    return { ok: true, value: null };
  });
}

/**
 * Stops quoting or resumes it. Resuming creates the source again: after a jump the operator thereby
 * confirms that the feed's new level is judged without the old one.
 */
export function pausePrices(admin: AdminContext, paused: boolean): Promise<AdminOutcome<null>> {
  return inTransaction(admin, async (sql) => {
    await drizzle(sql).update(priceSettings).set({ paused, updatedAt: admin.now() });
    await writeAudit(sql, admin, paused ? "price.pause" : "price.resume", null, {});
    return { ok: true, value: null };
  });
}

/** Stores a feed's URL, sealed under the master key; undefined deletes the stored one. */
async function sealFeedUrl(
  sql: Transaction,
  { secrets }: { secrets: Secrets },
  url: string | undefined,
): Promise<void> {
  if (url === undefined) {
    await drizzle(sql).delete(sealedKeys).where(eq(sealedKeys.name, FEED_URL));
    return;
  }
  const sealed = await secrets.seal(sealedKeyIdentity(FEED_URL), new TextEncoder().encode(url));
  const row = sealedKeyRow(FEED_URL, sealed);
  await drizzle(sql).insert(sealedKeys).values(row)
    .onConflictDoUpdate({ target: sealedKeys.name, set: row });
}

/** Removes a URL's query, which may contain a key, so that it gets into no table and no audit log. */
function withoutQuery(configuration: Record<string, unknown>): Record<string, unknown> {
  const { url } = configuration;
  return typeof url === "string" ? { ...configuration, url: feedUrlForPeople(url) } : configuration;
}

/** False for simulated prices in production: real gold is not sold at invented prices. */
export function isForSale(origin: PriceOrigin, environment: Environment): boolean {
  return environment === "sandbox" || origin.source !== "simulated";
}

function originToJson(origin: PriceOrigin): Record<string, unknown> {
  if (origin.source === "feed") return feedSettingsToJson(origin.feed);
  if (origin.source === "fixed") return { mid: formatPrice(origin.midTenThousandths) };
  const { seed, baseTenThousandths: base } = origin;
  return {
    ...(seed === undefined ? {} : { seed }),
    ...(base === undefined ? {} : { base: formatPrice(base) }),
  };
}

function originFromJson(source: string, json: Record<string, unknown>): PriceOrigin | string {
  const price = (name: string): bigint | undefined => {
    const parsed = parsePrice(String(json[name]));
    return parsed.ok && parsed.value > 0n ? parsed.value : undefined;
  };
  if (source === "feed") {
    const feed = readFeedSettings(json);
    return typeof feed === "string" ? feed : { source, feed };
  }
  if (source === "fixed") {
    const midTenThousandths = price("mid");
    if (midTenThousandths === undefined) return "a price is above zero, with at most 4 decimals";
    return { source, midTenThousandths };
  }
  if (source !== "simulated") return "the source is simulated, fixed or feed";
  const { seed } = json;
  const base = price("base");
  if (json["base"] !== undefined && base === undefined) {
    return "a price is above zero, with at most 4 decimals";
  }
  if (seed !== undefined && !Number.isSafeInteger(seed)) return "the seed is a whole number";
  return {
    source,
    ...(seed === undefined ? {} : { seed: seed as number }),
    ...(base === undefined ? {} : { baseTenThousandths: base }),
  };
}
