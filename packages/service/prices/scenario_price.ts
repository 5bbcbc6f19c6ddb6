import { formatPrice, parsePrice, type PriceScenario } from "@sabika/protocol";
import { drizzle, type Sql } from "@sabika/database";
import { RIYADH_OFFSET_MS } from "@sabika/terms";
import { PRICE_UNAVAILABLE, type PriceSource } from "./price_source.ts";
import { scenario, type StoredPriceScenario } from "./tables.ts";

const STEP_MS = 1_000;
const DAY_MINUTES = 1_440;

/** Reads the course of the price that a sandbox has; undefined without one. */
export async function readPriceScenario(sql: Sql): Promise<StoredPriceScenario | undefined> {
  const [row] = await drizzle(sql).select({ price: scenario.price }).from(scenario);
  return row?.price ?? undefined;
}

/**
 * Begins a course of the price at the next full second, so that no second has two prices.
 *
 * @returns when it begins, epoch milliseconds; undefined if the price would be another partner's too
 */
export async function beginPriceScenario(
  sql: Sql,
  partnerId: number,
  { path, hours }: PriceScenario,
  nowMs: number,
): Promise<number | undefined> {
  const beganAtMs = Math.ceil(nowMs / STEP_MS) * STEP_MS;
  const stored: StoredPriceScenario = {
    ...path !== null && {
      path: path.map(({ afterSeconds, midTenThousandths: mid }) =>
        [beganAtMs + afterSeconds * 1_000, mid === null ? null : formatPrice(mid)] as const
      ),
    },
    ...hours,
  };
  const price = path === null && hours === null ? null : JSON.stringify(stored);
  const [row] = await sql<{ done: boolean }[]>`
    select simulate_price(${partnerId}::integer, ${price}::text::jsonb) as done`;
  return row!.done ? beganAtMs : undefined;
}

/** A price that follows a scenario, and the market where that says nothing. */
export function createScenarioPrice(
  { path, opens, closes }: StoredPriceScenario,
  market: PriceSource,
): PriceSource {
  return {
    latest(nowMs) {
      if (opens !== undefined && !isOpen(opens, closes!, nowMs)) return PRICE_UNAVAILABLE;
      if (path === undefined) return market.latest(nowMs);
      // The first point holds before its time too.
      const [, mid] = path.findLast(([atMs]) => atMs <= nowMs) ?? path[0]!;
      const parsed = parsePrice(mid ?? "");
      if (!parsed.ok) return PRICE_UNAVAILABLE;
      const asOfMs = Math.floor(nowMs / STEP_MS) * STEP_MS;
      return { ok: true, source: "simulated", midTenThousandths: parsed.value, asOfMs };
    },
    close: () => market.close?.(),
  };
}

/** Whether a time is within the hours in Riyadh; hours may go past midnight. */
function isOpen(opens: string, closes: string, nowMs: number): boolean {
  const minute = Math.floor((nowMs + RIYADH_OFFSET_MS) / 60_000) % DAY_MINUTES;
  const [from, to] = [opens, closes].map((text) => {
    const [hours, minutes] = text.split(":").map(Number);
    return hours! * 60 + minutes!;
  });
  return from! <= to! ? from! <= minute && minute < to! : from! <= minute || minute < to!;
}
