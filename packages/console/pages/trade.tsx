import { readTradeStory, type TradeCheck, type TradeStory } from "@sabika/office/oversight";
import { DELIVERY_ATTEMPTS, ORDERS, PARTNERS_EVENTS } from "@sabika/office/reads";
import { parseId, type PartnerEvent } from "@sabika/protocol";
import { mayDo } from "@sabika/terms";
import type { Call, Page } from "../call.ts";
import { date, grams, riyals } from "../format.ts";
import { fill } from "../languages/fill.ts";
import { Amount, Code, Id, Moment, PrintButton, State } from "../layout/inline.tsx";
import { factsOf, type Look, ReadTable } from "../layout/read_table.tsx";
import { Facts } from "../layout/table.tsx";
import { Entries } from "./ledger.tsx";
import { DELIVERY_MOODS } from "./moods.ts";

/** One trade's whole story: order, quote, checks, transfers, event, delivery attempts. */
export const trade: Page = {
  path: "/orders/:order{ord_[0-9a-f-]+}",
  act: "trade.read",
  async show(call) {
    const { words } = call;
    const story = await readStory(call);
    if (!story) return undefined;
    const { side, goldMicrograms } = story.trade;
    const part = { call, story };
    return {
      title: fill(words.trade.title, { side: words.side[side], gold: grams(goldMicrograms) }),
      content: (
        <>
          <Links {...part} />
          <Terms {...part} />
          <Requests {...part} />
          <Checks {...part} />
          <Transfers {...part} />
          <Event {...part} />
          <Attempts {...part} />
        </>
      ),
    };
  },
};

/** Reads the story of the order in the address; undefined when there is no such order. */
export async function readStory({ cells, context, environment, now }: Call) {
  const orderId = parseId("ord", context.req.param("order") ?? "");
  if (orderId === undefined) return undefined;
  return await cells.findFirst((database) =>
    readTradeStory(database, { orderId, environment, nowMs: now() })
  );
}

interface Part {
  readonly call: Call;
  readonly story: TradeStory;
}

/** Links to what the trade stands in: the day's statement, and the bars; and to its evidence and receipt. */
function Links({ call: { language, viewer, words }, story }: Part) {
  const { trade: { id, clientId, executedAtMs }, requests, receipt } = story;
  const query = new URLSearchParams({ partner: clientId, day: date(executedAtMs) }).toString();
  return (
    <p class="acts">
      <a href={`/${language}/statements?${query}`}>{words.trade.statement}</a>
      {mayDo(viewer.roles, "custody.read") && <a href={`/${language}/vault`}>{words.trade.bars}</a>}
      {requests.length > 0 && (
        <a href={`/${language}/orders/${id}/evidence.jsonl`}>{words.trade.evidence}</a>
      )}
      {receipt !== null && (
        <a href={`/${language}/orders/${id}/receipt.jws`}>{words.trade.receipt}</a>
      )}
      <PrintButton words={words} />
    </p>
  );
}

function Terms({ call, story }: Part) {
  const { words, language } = call;
  const { trade, quote, price, balancesAfter, partnerName } = story;
  const { units } = words;
  const money = (halalas: bigint) => <Amount figure={riyals(halalas)} unit={units.riyals} />;
  return (
    <div class="columns">
      <section class="card" aria-labelledby="order">
        <h2 id="order">{words.trade.order}</h2>
        <Facts
          facts={[
            [words.trade.order, <Id text={trade.id} />],
            [
              words.partner,
              <>
                <bdi>{partnerName}</bdi>{" "}
                <a href={`/${language}/orders?partner=${encodeURIComponent(trade.clientId)}`}>
                  <bdi>{trade.clientId}</bdi>
                </a>
              </>,
            ],
            ...factsOf(call, { read: ORDERS, item: trade, names: ["client_reference"] }),
            [words.trade.received, <Moment ms={story.receivedAtMs} />],
            [words.trade.executed, <Moment ms={trade.executedAtMs} />],
            ...factsOf(call, {
              read: ORDERS,
              item: trade,
              names: [
                "price_per_gram_sar",
                "fee_sar",
                "gold_vat_rate",
                "gold_vat_sar",
                "fee_vat_rate",
                "fee_vat_sar",
                "vat_sar",
                "total_sar",
              ],
            }),
            [
              words.trade.after,
              fill(words.trade.afterOf, {
                money: riyals(balancesAfter.sarHalalas),
                gold: grams(balancesAfter.goldMicrograms),
              }),
            ],
          ]}
        />
      </section>
      <section class="card" aria-labelledby="price">
        <h2 id="price">{words.trade.price}</h2>
        {price === null ? <p class="soft">{words.notKnown}</p> : (
          <Facts
            facts={[
              [words.trade.priceNumber, <Code text={String(price.priceNumber)} />],
              [words.trade.priceOrigin, price.origin ?? words.notKnown],
              [
                words.trade.priceRaw,
                price.rawValue === null
                  ? words.notKnown
                  : <Code text={`${price.rawValue} ${price.rawUnit} ${price.conversion ?? ""}`} />,
              ],
              [words.trade.priceAccepted, price.accepted ?? words.notKnown],
              [words.trade.priceOf, <Moment ms={price.asOfMs} />],
              [words.trade.priceArrived, <Moment ms={price.arrivedAtMs} />],
              ...factsOf(call, {
                read: ORDERS,
                item: trade,
                names: ["price_source", "mid_price_sar", "spread_rate", "price_per_gram_sar"],
              }),
            ]}
          />
        )}
      </section>
      {quote && (
        <section class="card" aria-labelledby="quote">
          <h2 id="quote">{words.trade.quote}</h2>
          <Facts
            facts={[
              [words.trade.quote, <Id text={quote.id} />],
              [words.trade.quoted, <Moment ms={quote.createdAtMs} />],
              [words.trade.expires, <Moment ms={quote.expiresAtMs} />],
              ...(quote.requested === undefined
                ? []
                : [[words.trade.askedByMoney, money(quote.requested.amountHalalas)] as const]),
            ]}
          />
        </section>
      )}
    </div>
  );
}

/** The signed request as it came. */
function Requests({ call: { words }, story: { requests } }: Part) {
  const { trade } = words;
  return (
    <section class="card" aria-labelledby="requests">
      <h2 id="requests">{trade.requests}</h2>
      {requests.length === 0
        ? <p class="soft">{trade.noRequests}</p>
        : requests.map((request) => (
          <Facts
            facts={[
              [trade.request, <Code text={`POST ${request.url}`} />],
              [trade.body, <Code text={request.body} />],
              ["X-Timestamp", <Code text={String(request.timestampSeconds)} />],
              ["X-Nonce", <Code text={request.nonce} />],
              ["X-JWS-Signature", <Code text={request.signature} />],
              [trade.keyId, <Code text={request.keyId} />],
            ]}
          />
        ))}
    </section>
  );
}

function Checks({ call: { words }, story: { checks } }: Part) {
  return (
    <section class="card" aria-labelledby="checks">
      <h2 id="checks">{words.trade.checks}</h2>
      <p class="soft">{words.trade.checksLead}</p>
      <ul class="checks">
        {Object.entries(checks).map(([name, holds]) => (
          <li>
            <State
              word={holds ? words.trade.holds : words.trade.fails}
              mood={holds ? "good" : "bad"}
            />{" "}
            {words.tradeChecks[name as TradeCheck]}
          </li>
        ))}
      </ul>
    </section>
  );
}

function Transfers({ call, story: { transfers } }: Part) {
  const { none, trade: { transfers: caption } } = call.words;
  return (
    <Entries call={call} entries={transfers} section="transfers" caption={caption} empty={none} />
  );
}

function Event({ call, story: { event } }: Part) {
  const { trade } = call.words;
  return (
    <section class="card" aria-labelledby="event">
      <h2 id="event">{trade.event}</h2>
      {event === null ? <p>{trade.noEvent}</p> : (
        <Facts
          facts={factsOf(call, {
            read: PARTNERS_EVENTS,
            item: event,
            names: ["id", "sequence", "status", "delivered_at", "next_attempt_at"],
            look: eventLook(call),
          })}
        />
      )}
    </section>
  );
}

/** Returns the words and colours of an event's columns, for all pages. */
export function eventLook({ words }: Call): Look<PartnerEvent> {
  return { states: { status: { words: words.trade.delivery, moods: DELIVERY_MOODS } } };
}

/** The attempts to deliver an event, newest first. */
export function Attempts({ call, story: { attempts } }: {
  call: Call;
  story: Pick<TradeStory, "attempts">;
}) {
  const { trade, failures } = call.words;
  return (
    <ReadTable
      call={call}
      read={DELIVERY_ATTEMPTS}
      section="attempts"
      caption={trade.attempts}
      empty={trade.noAttempts}
      items={attempts}
      names={["attempted_at", "duration_ms", "status", "failure", "address"]}
      look={{
        cells: {
          failure: ({ failure }) =>
            failure === null
              ? <State word={trade.accepted} mood="good" />
              : <State word={failures[failure]} mood="bad" />,
        },
      }}
    />
  );
}
