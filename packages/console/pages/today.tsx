import { readVaultReport } from "@sabika/service/vault";
import { mayDo } from "@sabika/terms";
import type { Child } from "hono/jsx";
import type { Call, Page } from "../call.ts";
import { grams, price, riyals } from "../format.ts";
import { fill } from "../languages/fill.ts";
import { duration } from "../languages/languages.ts";
import { Amount } from "../layout/inline.tsx";
import { WithoutCells } from "../layout/without_cells.tsx";
import { type Day, readDay, TradedByHour } from "./traded_by_hour.tsx";
import { ActForm } from "./act_form.tsx";
import { Inventory } from "./inventory.tsx";
import { COUNTED, type Item, readTroubles, readWaiting } from "./waiting.ts";

/**
 * What waits for the viewer, what needs a look, and money and gold at a glance; each part is for those whose
 * roles permit it, and links to the page that has what it counts.
 */
export const today: Page = {
  path: "",
  act: "office.read",
  entry: "today",
  async show(call) {
    const { cells, viewer, words } = call;
    const { found: databases, away } = await cells.usable();
    const [{ sql }, ...others] = databases;
    const nowMs = call.now();
    const may = (act: Parameters<typeof mayDo>[1]) => mayDo(viewer.roles, act);
    const isWhole = away.length === 0;
    const [waiting, troubles, day, vault] = await Promise.all([
      readWaiting(call, databases),
      readTroubles(call, databases),
      may("books.read") && isWhole ? readDay(call.tradedHours, nowMs) : undefined,
      may("vault.read") ? readVaultReport(sql, others.map((cell) => cell.sql)) : undefined,
    ]);
    const { overview } = words;
    return {
      title: words.pages.today,
      content: (
        <>
          <WithoutCells words={words} away={away} />
          <div class="columns">
            <Items
              call={call}
              id="waiting"
              title={overview.waiting}
              items={waiting}
              empty={overview.nothingWaits}
            />
            <Items
              call={call}
              id="troubles"
              title={overview.troubles}
              items={troubles}
              empty={overview.noTroubles}
            />
          </div>
          <section aria-labelledby="now">
            <h2 id="now">{words.overview.now}</h2>
            <dl class="tiles">
              <PriceTile call={call} nowMs={nowMs} />
              {day && <DayTiles call={call} day={day} nowMs={nowMs} />}
              {may("books.read") && !isWhole && <UnknownDay call={call} />}
              {vault && (
                <Tile
                  call={call}
                  path="/vault"
                  name={words.overview.free}
                  value={<Amount figure={grams(vault.freeMicrograms)} unit={words.units.grams} />}
                  note={`${words.overview.freeOf}: ${vault.bars}`}
                />
              )}
            </dl>
            <ActForm
              call={call}
              act={call.prices.latest(nowMs).ok ? "price.pause" : "price.resume"}
            />
          </section>
          {day && <TradedByHour call={call} day={day} />}
          {vault && <Inventory words={words} vault={vault} isWhole={isWhole} />}
        </>
      ),
    };
  },
};

/** A card of links, each with its count. */
function Items({ call: { language }, id, title, items, empty }: {
  call: Call;
  id: string;
  title: string;
  items: readonly Item[];
  empty: string;
}) {
  return (
    <section class="card" aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {items.length === 0 ? <p class="empty">{empty}</p> : (
        <ul class="items">
          {items.map(({ count, text, path }) => (
            <li>
              <a href={`/${language}${path}`}>{text}</a>
              {count !== undefined && <strong>{count < COUNTED ? count : `${COUNTED}+`}</strong>}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

/** A figure at a glance, which leads to its page. */
function Tile({ call: { language }, path, name, value, note }: {
  call: Call;
  path: string;
  name: string;
  value: Child;
  note: Child;
}) {
  return (
    <div class="tile">
      <dt>
        <a href={`/${language}${path}`}>{name}</a>
      </dt>
      <dd>
        <strong>{value}</strong>
        <span class="soft">{note}</span>
      </dd>
    </div>
  );
}

function PriceTile({ call, nowMs }: { call: Call; nowMs: number }) {
  const { prices, words: { overview, units }, language } = call;
  const tile = { call, path: "/prices", name: overview.price };
  const latest = prices.latest(nowMs);
  if (!latest.ok) {
    return <Tile {...tile} value={overview.noPrice} note={overview.noPriceBecause} />;
  }
  const age = duration(language, (nowMs - latest.asOfMs) / 1_000);
  return (
    <Tile
      {...tile}
      value={<Amount figure={price(latest.midTenThousandths)} unit={units.perGram} />}
      note={fill(overview.priceAge, { age })}
    />
  );
}

/** How many micrograms × ten-thousandths of a riyal per gram make a halala. */
const PER_HALALA = 100_000_000n;

/** The pages of the day's figures; orders are for the same roles and more. */
const DAY_PATHS = { volume: "/orders", margin: "/margins?by=hour", position: "/margins?by=hour" };

function DayTiles({ call, day, nowMs }: { call: Call; day: Day; nowMs: number }) {
  const { prices, words: { overview, units } } = call;
  const latest = prices.latest(nowMs);
  const position = day.boughtMicrograms - day.soldMicrograms;
  return (
    <>
      <Tile
        call={call}
        path={DAY_PATHS.volume}
        name={overview.volume}
        value={<Amount figure={riyals(day.totalHalalas)} unit={units.riyals} />}
        note={`${overview.orders}: ${day.orders}`}
      />
      <Tile
        call={call}
        path={DAY_PATHS.margin}
        name={overview.margin}
        value={<Amount figure={riyals(day.marginHalalas)} unit={units.riyals} />}
        note={overview.marginOf}
      />
      <Tile
        call={call}
        path={DAY_PATHS.position}
        name={overview.position}
        value={<Amount figure={grams(position)} unit={units.grams} />}
        note={latest.ok
          ? fill(overview.positionOf, {
            money: riyals(position * latest.midTenThousandths / PER_HALALA),
          })
          : overview.noPrice}
      />
    </>
  );
}

/** Tiles without sums, while a cell is away: the sums would lack its part. */
function UnknownDay({ call }: { call: Call }) {
  const { words: { overview, withoutCells } } = call;
  return (
    <>
      {(["volume", "margin", "position"] as const).map((name) => (
        <Tile
          call={call}
          path={DAY_PATHS[name]}
          name={overview[name]}
          value="–"
          note={withoutCells.noSum}
        />
      ))}
    </>
  );
}
