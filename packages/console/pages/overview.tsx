import { mapConcurrently } from "@sabika/database";
import { type EndpointState, readEndpointStates } from "@sabika/service/delivery";
import { type CredentialEntry, listCredentials } from "@sabika/service/partners";
import { readVaultReport } from "@sabika/service/vault";
import { CREDENTIALS, ENDPOINTS } from "@sabika/office/reads";
import type { WebhookEndpoint } from "@sabika/protocol";
import { mayDo } from "@sabika/terms";
import type { Child } from "hono/jsx";
import type { Call, Page } from "../call.ts";
import { grams, price, riyals } from "../format.ts";
import { fill } from "../languages/fill.ts";
import { duration, type Messages } from "../languages/languages.ts";
import { Amount } from "../layout/inline.tsx";
import { ReadTable } from "../layout/read_table.tsx";
import { WithoutCells } from "../layout/without_cells.tsx";
import { type Day, readDay, TradedByHour } from "./traded_by_hour.tsx";
import { ActForm } from "./act_form.tsx";
import { endpointLook } from "./endpoints.tsx";
import { Inventory } from "./inventory.tsx";
import { countWaiting, type WaitingCounts } from "./waiting.ts";

const EXPIRING_MS = 30 * 86_400_000;

/** The state of the business at a glance; each part is for those whose roles permit it. */
export const overview: Page = {
  path: "",
  act: "partner.read",
  entry: "today",
  async show(call) {
    const { cells, viewer, words } = call;
    const { found: databases, away } = await cells.usable();
    const [{ sql }, ...others] = databases;
    const nowMs = call.now();
    const may = (act: Parameters<typeof mayDo>[1]) => mayDo(viewer.roles, act);
    const endpoints = await mapConcurrently(
      databases,
      (database) => readEndpointStates(database.sql, nowMs),
    );
    const unhealthy = endpoints.flat().filter(({ status }) => status !== "healthy");
    const isWhole = away.length === 0;
    const [day, vault, waiting, credentials] = await Promise.all([
      may("books.read") && isWhole ? readDay(call.tradedHours, nowMs) : undefined,
      may("vault.read") ? readVaultReport(sql, others.map((cell) => cell.sql)) : undefined,
      countWaiting(call, { databases, endpointsDown: unhealthy.length }),
      may("credential.read") ? listCredentials(sql, nowMs) : undefined,
    ]);
    const expiring = credentials?.filter(({ state, validUntilMs }) =>
      state === "active" && validUntilMs !== null && validUntilMs < nowMs + EXPIRING_MS
    ).sort((a, b) => a.validUntilMs! - b.validUntilMs!);
    return {
      title: words.pages.today,
      content: (
        <>
          <WithoutCells words={words} away={away} />
          <Waiting call={call} counts={waiting} />
          <section aria-labelledby="now">
            <h2 id="now">{words.overview.now}</h2>
            <dl class="tiles">
              <PriceTile call={call} nowMs={nowMs} />
              {day && <DayTiles call={call} day={day} nowMs={nowMs} />}
              {may("books.read") && !isWhole && <UnknownDay words={words} />}
              {vault && (
                <Tile
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
          {day && <TradedByHour words={words} day={day} />}
          {vault && <Inventory words={words} vault={vault} isWhole={isWhole} />}
          <Endpoints call={call} endpoints={unhealthy} />
          {expiring && <Expiring call={call} credentials={expiring} nowMs={nowMs} />}
        </>
      ),
    };
  },
};

function Waiting({ call: { words }, counts }: { call: Call; counts: WaitingCounts }) {
  const lines = (["toApprove", "toPay", "endpointsDown"] as const)
    .filter((name) => counts[name] > 0);
  return (
    <section class="card" aria-labelledby="waiting">
      <h2 id="waiting">{words.overview.waiting}</h2>
      {lines.length === 0
        ? <p class="empty">{words.overview.nothingWaits}</p>
        : <ul>{lines.map((name) => <li>{`${words.overview[name]}: ${counts[name]}`}</li>)}</ul>}
    </section>
  );
}

function Tile({ name, value, note }: { name: string; value: Child; note: Child }) {
  return (
    <div class="tile">
      <dt>{name}</dt>
      <dd>
        <strong>{value}</strong>
        <span class="soft">{note}</span>
      </dd>
    </div>
  );
}

function PriceTile({ call: { prices, words, language }, nowMs }: { call: Call; nowMs: number }) {
  const { overview, units } = words;
  const latest = prices.latest(nowMs);
  if (!latest.ok) {
    return <Tile name={overview.price} value={overview.noPrice} note={overview.noPriceBecause} />;
  }
  const age = duration(language, (nowMs - latest.asOfMs) / 1_000);
  return (
    <Tile
      name={overview.price}
      value={<Amount figure={price(latest.midTenThousandths)} unit={units.perGram} />}
      note={fill(overview.priceAge, { age })}
    />
  );
}

/** How many micrograms × ten-thousandths of a riyal per gram make a halala. */
const PER_HALALA = 100_000_000n;

function DayTiles(
  { call: { prices, words }, day, nowMs }: { call: Call; day: Day; nowMs: number },
) {
  const { overview, units } = words;
  const latest = prices.latest(nowMs);
  const position = day.boughtMicrograms - day.soldMicrograms;
  return (
    <>
      <Tile
        name={overview.volume}
        value={<Amount figure={riyals(day.totalHalalas)} unit={units.riyals} />}
        note={`${overview.orders}: ${day.orders}`}
      />
      <Tile
        name={overview.margin}
        value={<Amount figure={riyals(day.marginHalalas)} unit={units.riyals} />}
        note={overview.marginOf}
      />
      <Tile
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
function UnknownDay({ words: { overview, withoutCells } }: { words: Messages }) {
  return (
    <>
      {(["volume", "margin", "position"] as const).map((name) => (
        <Tile name={overview[name]} value="–" note={withoutCells.noSum} />
      ))}
    </>
  );
}

function Endpoints({ call, endpoints }: { call: Call; endpoints: readonly EndpointState[] }) {
  const { overview } = call.words;
  return (
    <ReadTable<WebhookEndpoint & { readonly clientId: string }>
      call={call}
      read={ENDPOINTS}
      section="endpoints"
      caption={overview.endpoints}
      empty={overview.endpointsFine}
      items={endpoints}
      names={["client_id", "status", "pending_events", "lag_seconds", "failure"]}
      look={endpointLook(call)}
    />
  );
}

function Expiring({ call, credentials, nowMs }: {
  call: Call;
  credentials: readonly CredentialEntry[];
  nowMs: number;
}) {
  const { words: { overview, credentials: kinds }, language } = call;
  return (
    <ReadTable
      call={call}
      read={CREDENTIALS}
      section="expiring"
      caption={overview.expiring}
      empty={overview.nothingExpires}
      items={credentials}
      names={["client_id", "kind", "valid_until"]}
      look={{
        states: { kind: { words: kinds } },
        extraColumns: [{
          head: overview.left,
          isFigure: true,
          cell: ({ validUntilMs }) => duration(language, (validUntilMs! - nowMs) / 1_000),
        }],
      }}
    />
  );
}
