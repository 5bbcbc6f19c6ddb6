import { formatPrice, formatTime, type PriceSpan } from "@sabika/protocol";
import { readPriceSpans } from "@sabika/service/prices";
import type { Child } from "hono/jsx";
import type { Call, Page } from "../call.ts";
import { day, hour, moment, price } from "../format.ts";
import { fill } from "../languages/fill.ts";
import { DIRECTION, duration } from "../languages/languages.ts";
import { file } from "../layout/file.ts";
import { linkTo, Select } from "../layout/filter.tsx";
import { LinePlot } from "../layout/line_plot.tsx";
import { Table } from "../layout/table.tsx";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** The periods of the history, each with the minutes of a span and the format of its times. */
const PERIODS = {
  hour: { lengthMs: HOUR_MS, minutes: 1, time: hour },
  "6-hours": { lengthMs: 6 * HOUR_MS, minutes: 2, time: hour },
  day: { lengthMs: DAY_MS, minutes: 10, time: hour },
  week: { lengthMs: 7 * DAY_MS, minutes: 60, time: day },
  month: { lengthMs: 31 * DAY_MS, minutes: 240, time: day },
} as const;
type Period = keyof typeof PERIODS;

const PERIOD_NAMES = Object.keys(PERIODS) as Period[];

/** Returns the period in the address; a day when the address has none or an unknown one. */
function periodOf({ context }: Call): Period {
  return PERIOD_NAMES.find((name) => name === context.req.query("last")) ?? "day";
}

/** The time that a plot shows, in epoch milliseconds, and the minutes of a span. */
interface SpanWindow {
  readonly fromMs: number;
  readonly toMs: number;
  readonly minutes: number;
}

/** Returns the window of a period up to now, in whole spans, with the current span. */
function windowOf(period: Period, nowMs: number): SpanWindow {
  const { lengthMs, minutes } = PERIODS[period];
  const spanMs = minutes * MINUTE_MS;
  const toMs = Math.floor(nowMs / spanMs) * spanMs + spanMs;
  return { fromMs: toMs - lengthMs, toMs, minutes };
}

/** The prices of the period in the address, minute by minute, as a CSV file. */
export const pricesFile: Page = file<PriceSpan>({
  path: "/prices.csv",
  name: "prices",
  act: "price.read",
  columns: [
    ["minute", (span) => formatTime(span.startMs)],
    ["least_sar", (span) => formatPrice(span.lowTenThousandths)],
    ["highest_sar", (span) => formatPrice(span.highTenThousandths)],
    ["last_sar", (span) => formatPrice(span.closeTenThousandths)],
    [
      "first_sar",
      ({ openTenThousandths: open }) => open === null ? "not known" : formatPrice(open),
    ],
    ["prices", (span) => span.count],
  ],
  async *pages(call) {
    const window = windowOf(periodOf(call), call.now());
    yield await readPriceSpans(call.database.sql, { ...window, minutes: 1 });
  },
});

/** Makes the section with the prices of the period in the address, as a plot and as a table. */
export async function priceHistory(call: Call): Promise<Child> {
  const { database: { sql }, words, language } = call;
  const { prices, orders } = words;
  const period = periodOf(call);
  const window = windowOf(period, call.now());
  const spans = await readPriceSpans(sql, window);
  const query = { last: period };
  return (
    <section aria-labelledby="history">
      <h2 id="history">{prices.history}</h2>
      <form class="line" method="get" action={`/${language}/prices`} aria-label={orders.filter}>
        <Select
          name="last"
          label={prices.last}
          options={PERIOD_NAMES.map((name) =>
            [name, duration(language, PERIODS[name].lengthMs / 1_000)] as const
          )}
          chosen={period}
        />
        <button type="submit">{orders.show}</button>
        <a href={linkTo(call, "/prices.csv", query)}>{orders.export}</a>
        <span class="soft">{prices.kept}</span>
      </form>
      {spans.length === 0
        ? <p class="empty">{prices.nothing}</p>
        : <Course call={call} time={PERIODS[period].time} spans={spans} window={window} />}
    </section>
  );
}

function Course({ call: { language, words }, time, spans, window: { fromMs, toMs, minutes } }: {
  call: Call;
  time: (ms: number) => string;
  spans: readonly PriceSpan[];
  window: SpanWindow;
}) {
  const { prices } = words;
  const least = spans.map((span) => span.lowTenThousandths).reduce((a, b) => a < b ? a : b);
  const most = spans.map((span) => span.highTenThousandths).reduce((a, b) => a > b ? a : b);
  const alt = fill(prices.says, {
    least: price(least),
    highest: price(most),
    end: price(spans.at(-1)!.closeTenThousandths),
  });
  const axes = { alt, fromMs, toMs, lengthMs: minutes * MINUTE_MS, formatTime: time };
  return (
    <figure class="card">
      <LinePlot
        {...axes}
        dir={DIRECTION[language]}
        unit={words.units.perGram}
        textOf={({ startMs, least, most, last }) =>
          fill(prices.spanSays, {
            time: moment(startMs).slice(0, 16),
            least: price(BigInt(least)),
            highest: price(BigInt(most)),
            end: price(BigInt(last)),
          })}
        spans={spans.map((span) => ({
          startMs: span.startMs,
          least: Number(span.lowTenThousandths),
          most: Number(span.highTenThousandths),
          last: Number(span.closeTenThousandths),
        }))}
        // Halalas are enough for an axis.
        formatValue={(tenThousandths) => (tenThousandths / 10_000).toFixed(2)}
      />
      <figcaption>
        <p class="soft">{alt}</p>
        <details>
          <summary>{words.figures}</summary>
          <Table
            caption={prices.history}
            empty={words.none}
            rows={spans.toReversed()}
            columns={[
              {
                head: prices.span,
                cell: (span) => <bdi dir="ltr">{moment(span.startMs).slice(0, 16)}</bdi>,
              },
              {
                head: prices.least,
                cell: (span) => price(span.lowTenThousandths),
                isFigure: true,
              },
              {
                head: prices.highest,
                cell: (span) => price(span.highTenThousandths),
                isFigure: true,
              },
              { head: prices.end, cell: (span) => price(span.closeTenThousandths), isFigure: true },
            ]}
          />
        </details>
      </figcaption>
    </figure>
  );
}
