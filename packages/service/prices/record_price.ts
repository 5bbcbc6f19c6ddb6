import type { Database } from "@sabika/database";
import type { LatestPrice } from "./price_source.ts";

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
  { source, midTenThousandths: mid, asOfMs }: Extract<LatestPrice, { ok: true }>,
): Promise<bigint | null> {
  const [row] = await sql<{ number: bigint | null }[]>`
    select record_price(${source}, ${mid}::bigint, ${asOfMs}::bigint) as number`;
  return row!.number;
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
