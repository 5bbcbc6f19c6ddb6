import { desc } from "drizzle-orm";
import { type Database, drizzle, type Sql } from "@sabika/database";
import type { LatestPrice } from "./price_source.ts";
import type { FeedReading } from "./read_feed_answer.ts";
import { refusedPrices } from "./tables.ts";

/** Records in one database the prices that quotes are made at there (Decision D88). */
export interface PriceRecorder {
  /**
   * Records a price, unless it was the last one to be recorded. Returns the number of the price to quote at, which
   * may be another instance's of the same second; null if there is none, or the settings do not allow it.
   */
  record(price: LatestPrice): Promise<bigint | null>;
  /** Has the next price recorded even if it was the last one. */
  forget(): void;
}

/** Records a price in a database; returns the number of the price to quote at, or null. */
export async function recordPrice(
  { sql }: Pick<Database, "sql">,
  { source, midTenThousandths: mid, asOfMs, origin }: Extract<LatestPrice, { ok: true }>,
): Promise<bigint | null> {
  const came = origin === undefined ? null : JSON.stringify(origin);
  const [row] = await sql<{ number: bigint | null }[]>`
    select record_price(${source}, ${mid}::bigint, ${asOfMs}::bigint,
      ${came}::text) as number`;
  return row!.number;
}

/** A price that was refused. */
export interface RefusedPrice {
  readonly reason: string;
  /** The feed's host. */
  readonly origin: string;
  /** What the feed said; null if there was no number. */
  readonly reading: FeedReading | null;
}

/** Keeps a refused price in a database, for a month (Decision D95). */
export async function keepRefusedPrice(
  { sql }: Pick<Database, "sql">,
  { reason, origin, reading }: RefusedPrice,
): Promise<void> {
  const { rawValue = null, midTenThousandths: mid = null, asOfMs = null } = reading ?? {};
  await sql`select refuse_price(${reason}, ${origin}, ${rawValue}::text, ${mid}::bigint, ${asOfMs}::bigint)`;
}

/** A price that was refused, as it is kept. */
export type RefusedPriceRow = typeof refusedPrices.$inferSelect;

/** The last 200 prices that were refused, newest first. */
export async function listRefusedPrices(sql: Sql): Promise<RefusedPriceRow[]> {
  return await drizzle(sql).select().from(refusedPrices)
    .orderBy(desc(refusedPrices.refusedAt), refusedPrices.reason).limit(200);
}

/** Creates the recorder of a database. */
export function createPriceRecorder(database: Pick<Database, "sql">): PriceRecorder {
  let last: { readonly price: string; readonly number: bigint } | undefined;
  return {
    async record(price) {
      if (!price.ok) return null;
      const { source, midTenThousandths: mid, asOfMs } = price;
      // A fixed price is always as of now.
      const text = `${source} ${mid} ${source === "fixed" ? "" : asOfMs}`;
      if (last?.price === text) return last.number;
      const number = await recordPrice(database, price);
      last = number === null ? undefined : { price: text, number };
      return number;
    },
    forget: () => last = undefined,
  };
}
