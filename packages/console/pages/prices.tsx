import { feedUrlForPeople, type PriceSettings, readPriceSettings } from "@sabika/service/prices";
import type { Call, Page } from "../call.ts";
import { percent, price } from "../format.ts";
import { fill } from "../languages/fill.ts";
import { duration } from "../languages/languages.ts";
import { Amount, Code, Moment, State } from "../layout/inline.tsx";
import { type Fact, Facts } from "../layout/table.tsx";
import { ActForm } from "./act_form.tsx";
import { priceHistory } from "./price_history.tsx";

/** The source of prices, its state and settings, and the history of prices. */
export const prices: Page = {
  path: "/prices",
  act: "price.read",
  entry: "prices",
  async show(call) {
    const { database: { sql }, office, words } = call;
    const [settings, history] = await Promise.all([
      readPriceSettings(sql, office.admin.secrets),
      priceHistory(call),
    ]);
    const nowMs = call.now();
    return {
      title: words.pages.prices,
      content: (
        <>
          <section class="card narrow" aria-labelledby="now">
            <h2 id="now">{words.prices.now}</h2>
            {settings === undefined
              ? <p role="alert" class="wrong">{words.prices.notUnderstood}</p>
              : <Facts facts={factsOf(call, settings, nowMs)} />}
          </section>
          <Acts call={call} settings={settings} nowMs={nowMs} />
          {history}
        </>
      ),
    };
  },
};

function factsOf(call: Call, settings: PriceSettings, nowMs: number): Fact[] {
  const { words, language } = call;
  const { prices, overview, units } = words;
  const { origin, paused, updatedAtMs } = settings;
  const latest = call.prices.latest(nowMs);
  const state = paused
    ? <State word={prices.paused} mood="waiting" />
    : latest.ok
    ? <State word={words.yes} mood="good" />
    : <State word={prices.without} mood="bad" />;
  const now: Fact[] = [];
  if (latest.ok) {
    const age = duration(language, (nowMs - latest.asOfMs) / 1_000);
    const value = (
      <>
        <Amount figure={price(latest.midTenThousandths)} unit={units.perGram} />{" "}
        <span class="soft">{fill(overview.priceAge, { age })}</span>
      </>
    );
    now.push([overview.price, value]);
  }
  return [
    [prices.quoting, state],
    ...now,
    [prices.source, prices.sources[origin.source]],
    ...factsOfOrigin(call, origin),
    [prices.set, <Moment ms={updatedAtMs} />],
  ];
}

function factsOfOrigin({ words, language }: Call, origin: PriceSettings["origin"]): Fact[] {
  const { prices } = words;
  if (origin.source === "simulated") return [];
  if (origin.source === "fixed") return [[prices.fixed, price(origin.midTenThousandths)]];
  const { feed } = origin;
  const time = (ms: number) => duration(language, ms / 1_000);
  const bounds = [feed.leastTenThousandths, feed.mostTenThousandths].map(price).join(" – ");
  return [
    [prices.url, <Code text={feedUrlForPeople(feed.url)} />],
    [prices.unit, prices.units[feed.unit]],
    [prices.polled, time(feed.pollMs)],
    [prices.oldest, time(feed.maxAgeMs)],
    [prices.jump, <Code text={percent(feed.maxJumpPpm)} />],
    [prices.agreeing, feed.agreeing],
    [prices.plausible, <Code text={bounds} />],
  ];
}

/** Forms to pause, resume and fix prices; resuming accepts the level of a feed that jumped. */
function Acts({ call, settings, nowMs }: {
  call: Call;
  settings: PriceSettings | undefined;
  nowMs: number;
}) {
  const { words } = call;
  const isPaused = settings?.paused === true;
  const isQuoting = call.prices.latest(nowMs).ok;
  return (
    <section aria-label={words.approvals.act}>
      <div class="acts">
        {!isPaused && <ActForm call={call} act="price.pause" />}
        {(isPaused || !isQuoting) && <ActForm call={call} act="price.resume" />}
      </div>
      {!isQuoting && settings?.origin.source === "feed" && (
        <p class="soft">{words.prices.resumeHint}</p>
      )}
      <ActForm call={call} act="price.set" fixed={{ source: "fixed" }} />
    </section>
  );
}
