import { HOUR_MS, type TradedHour, type TradedHours } from "@sabika/office/oversight";
import type { Call } from "../call.ts";
import { fill } from "../languages/fill.ts";
import { DIRECTION } from "../languages/languages.ts";
import { grams, hour } from "../format.ts";
import { TwoSidedBars } from "../layout/plots.tsx";
import { Table } from "../layout/table.tsx";

const HOURS = 24;

interface Hour {
  readonly startMs: number;
  readonly boughtMicrograms: bigint;
  readonly soldMicrograms: bigint;
}

/** The trades of all partners in the last 24 hours, in all and by the hour. */
export interface Day extends Omit<Hour, "startMs"> {
  readonly hours: readonly Hour[];
  readonly orders: number;
  readonly totalHalalas: bigint;
  readonly marginHalalas: bigint;
}

/** Adds up the last 24 hours, including the current one. */
export async function readDay(tradedHours: TradedHours, nowMs: number): Promise<Day> {
  const traded = await tradedHours(HOURS, nowMs);
  const firstMs = Math.floor(nowMs / HOUR_MS) * HOUR_MS - (HOURS - 1) * HOUR_MS;
  const hours = Array.from({ length: HOURS }, (_, n) => {
    const startMs = firstMs + n * HOUR_MS;
    const inHour = traded.filter((trade) => trade.startMs === startMs);
    return { startMs, ...sumGold(inHour) };
  });
  return {
    hours,
    ...sumGold(traded),
    orders: traded.reduce((sum, trade) => sum + trade.orders, 0),
    totalHalalas: traded.reduce((sum, trade) => sum + trade.totalHalalas, 0n),
    marginHalalas: traded.reduce((sum, trade) => sum + trade.marginHalalas, 0n),
  };
}

function sumGold(traded: readonly TradedHour[]): Omit<Hour, "startMs"> {
  const gold = (side: TradedHour["side"]) =>
    traded.reduce((sum, trade) => trade.side === side ? sum + trade.goldMicrograms : sum, 0n);
  return { boughtMicrograms: gold("buy"), soldMicrograms: gold("sell") };
}

/** A plot of what partners bought, above the line, and sold, below it; with a table. */
export function TradedByHour({ call: { language, words }, day }: { call: Call; day: Day }) {
  const { overview } = words;
  const alt = fill(overview.byHourSays, {
    bought: grams(day.boughtMicrograms),
    sold: grams(day.soldMicrograms),
  });
  return (
    <section aria-labelledby="by-hour">
      <h2 id="by-hour">{overview.byHour}</h2>
      <figure class="card">
        <TwoSidedBars
          alt={alt}
          dir={DIRECTION[language]}
          unit={words.units.grams}
          formatValue={(micrograms) => grams(BigInt(Math.round(micrograms)))}
          bars={day.hours.map((bar) => ({
            label: hour(bar.startMs),
            up: Number(bar.boughtMicrograms),
            down: Number(bar.soldMicrograms),
            text: fill(overview.hourSays, {
              hour: hour(bar.startMs),
              bought: grams(bar.boughtMicrograms),
              sold: grams(bar.soldMicrograms),
            }),
          }))}
        />
        <figcaption>
          <span class="key up">{words.side.buy}</span>{" "}
          <span class="key down">{words.side.sell}</span>
          <p class="soft">{alt}</p>
          <details>
            <summary>{words.figures}</summary>
            <Table
              caption={overview.byHour}
              empty={words.none}
              rows={day.hours}
              columns={[
                { head: words.time, cell: (bar) => <bdi dir="ltr">{hour(bar.startMs)}</bdi> },
                {
                  head: words.side.buy,
                  cell: (bar) => grams(bar.boughtMicrograms),
                  isFigure: true,
                },
                { head: words.side.sell, cell: (bar) => grams(bar.soldMicrograms), isFigure: true },
              ]}
            />
          </details>
        </figcaption>
      </figure>
    </section>
  );
}
