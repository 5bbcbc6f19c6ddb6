import { type createTradedHours, HOUR_MS, type TradedHour } from "@sabika/office/oversight";
import type { Messages } from "../languages/languages.ts";
import { grams, hour } from "../format.ts";
import { TwoSidedBars } from "../layout/plots.tsx";
import { Table } from "../layout/table.tsx";

const HOURS = 24;

interface Hour {
  readonly startMs: number;
  readonly boughtMicrograms: bigint;
  readonly soldMicrograms: bigint;
}

/** The last 24 hours, as partners traded. */
export interface Day extends Omit<Hour, "startMs"> {
  readonly hours: readonly Hour[];
  readonly orders: number;
  readonly totalHalalas: bigint;
  readonly marginHalalas: bigint;
}

/** Adds the last 24 hours up, the one that is under way too. */
export async function readDay(
  tradedHours: ReturnType<typeof createTradedHours>,
  nowMs: number,
): Promise<Day> {
  const traded = await tradedHours(HOURS, nowMs);
  const firstMs = Math.floor(nowMs / HOUR_MS) * HOUR_MS - (HOURS - 1) * HOUR_MS;
  const hours = Array.from({ length: HOURS }, (_, n) => {
    const startMs = firstMs + n * HOUR_MS;
    const own = traded.filter((one) => one.startMs === startMs);
    return { startMs, ...golds(own) };
  });
  return {
    ...{ hours, ...golds(traded) },
    orders: traded.reduce((sum, one) => sum + one.orders, 0),
    totalHalalas: traded.reduce((sum, one) => sum + one.totalHalalas, 0n),
    marginHalalas: traded.reduce((sum, one) => sum + one.marginHalalas, 0n),
  };
}

function golds(traded: readonly TradedHour[]): Omit<Hour, "startMs"> {
  const of = (side: TradedHour["side"]) =>
    traded.reduce((sum, one) => one.side === side ? sum + one.goldMicrograms : sum, 0n);
  return { boughtMicrograms: of("buy"), soldMicrograms: of("sell") };
}

/** What partners bought above the line, what they sold below it. */
export function TradedByHour({ words, day }: { words: Messages; day: Day }) {
  const { overview } = words;
  const says = overview.byHourSays(grams(day.boughtMicrograms), grams(day.soldMicrograms));
  return (
    <section aria-labelledby="by-hour">
      <h2 id="by-hour">{overview.byHour}</h2>
      <figure class="card">
        <TwoSidedBars
          says={says}
          bars={day.hours.map((one) => ({
            label: hour(one.startMs),
            up: Number(one.boughtMicrograms),
            down: Number(one.soldMicrograms),
          }))}
        />
        <figcaption>
          <span class="key up">{words.side.buy}</span>{" "}
          <span class="key down">{words.side.sell}</span>
          <p class="soft">{says}</p>
          <details>
            <summary>{words.figures}</summary>
            <Table
              caption={overview.byHour}
              empty={words.none}
              rows={day.hours}
              columns={[
                { head: words.time, cell: (one) => <bdi dir="ltr">{hour(one.startMs)}</bdi> },
                {
                  head: words.side.buy,
                  cell: (one) => grams(one.boughtMicrograms),
                  isFigure: true,
                },
                { head: words.side.sell, cell: (one) => grams(one.soldMicrograms), isFigure: true },
              ]}
            />
          </details>
        </figcaption>
      </figure>
    </section>
  );
}
