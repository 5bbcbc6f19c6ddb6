import { readTradeStory, type TradeCheck, type TradeStory } from "@sabika/office/oversight";
import { type DeliveryAttempt, parseId } from "@sabika/protocol";
import type { Call, Page } from "../call.ts";
import { grams, price, riyals } from "../format.ts";
import { Amount, Code, Moment, State } from "../layout/inline.tsx";
import { Facts, Table } from "../layout/table.tsx";
import { Entries } from "./ledger.tsx";
import { DELIVERY_MOODS } from "./moods.ts";

/** One trade's whole story: order, quote, checks, transfers, event, delivery attempts. */
export const trade: Page = {
  path: "/orders/:order{ord_[0-9a-f-]+}",
  act: "trade.read",
  async show(call) {
    const orderId = parseId("ord", call.context.req.param("order") ?? "");
    const { cells, environment, words } = call;
    const story = orderId &&
      await cells.findFirst((database) =>
        readTradeStory(database, { orderId, environment, nowMs: call.now() })
      );
    if (!story) return undefined;
    const { side, goldMicrograms } = story.trade;
    const part = { call, story };
    return {
      title: words.trade.title(words.side[side], grams(goldMicrograms)),
      content: (
        <>
          <Terms {...part} />
          <Checks {...part} />
          <Transfers {...part} />
          <Event {...part} />
          <Attempts {...part} />
        </>
      ),
    };
  },
};

interface Part {
  readonly call: Call;
  readonly story: TradeStory;
}

function Terms({ call: { words, language }, story }: Part) {
  const { trade, quote, balancesAfter, partnerName } = story;
  const { units } = words;
  const money = (halalas: bigint) => <Amount figure={riyals(halalas)} unit={units.riyals} />;
  return (
    <div class="columns">
      <section class="card" aria-labelledby="order">
        <h2 id="order">{words.trade.order}</h2>
        <Facts
          facts={[
            [words.trade.order, <Code text={trade.id} />],
            [
              words.partner,
              <>
                <bdi>{partnerName}</bdi>{" "}
                <a href={`/${language}/orders?partner=${encodeURIComponent(trade.clientId)}`}>
                  <bdi>{trade.clientId}</bdi>
                </a>
              </>,
            ],
            [words.orders.reference, <bdi>{trade.clientReference ?? "–"}</bdi>],
            [words.trade.received, <Moment ms={story.receivedAtMs} />],
            [words.trade.executed, <Moment ms={trade.executedAtMs} />],
            [
              words.orders.price,
              <Amount figure={price(trade.pricePerGramTenThousandths)} unit={units.perGram} />,
            ],
            [words.orders.fee, money(trade.feeHalalas)],
            [words.orders.vat, money(trade.vatHalalas)],
            [words.orders.total, <strong>{money(trade.totalHalalas)}</strong>],
            [
              words.trade.after,
              words.trade.afterOf(
                riyals(balancesAfter.sarHalalas),
                grams(balancesAfter.goldMicrograms),
              ),
            ],
          ]}
        />
      </section>
      {quote && (
        <section class="card" aria-labelledby="quote">
          <h2 id="quote">{words.trade.quote}</h2>
          <Facts
            facts={[
              [words.trade.quote, <Code text={quote.id} />],
              [words.trade.priceAsOf, <Moment ms={quote.priceAsOfMs} />],
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
  const { words } = call;
  const { trade } = words;
  return (
    <section aria-labelledby="transfers">
      <h2 id="transfers">{trade.transfers}</h2>
      <Entries {...{ call, entries: transfers, caption: trade.transfers, empty: words.none }} />
    </section>
  );
}

function Event({ call: { words }, story: { event } }: Part) {
  const { trade } = words;
  const delivery = event?.delivery;
  return (
    <section class="card" aria-labelledby="event">
      <h2 id="event">{trade.event}</h2>
      {event === undefined || delivery === undefined ? <p>{trade.noEvent}</p> : (
        <Facts
          facts={[
            [trade.event, <Code text={event.id} />],
            [trade.sequence, <Code text={String(event.sequence)} />],
            [
              trade.deliveryState,
              <State
                word={trade.delivery[delivery.status]}
                mood={DELIVERY_MOODS[delivery.status]}
              />,
            ],
            [trade.deliveredAt, <Moment ms={delivery.deliveredAtMs} />],
            [trade.nextAttempt, <Moment ms={delivery.nextAttemptAtMs} />],
          ]}
        />
      )}
    </section>
  );
}

function Attempts({ call: { words }, story: { attempts } }: Part) {
  const { trade, failures } = words;
  return (
    <section aria-labelledby="attempts">
      <h2 id="attempts">{trade.attempts}</h2>
      <Table<DeliveryAttempt>
        caption={trade.attempts}
        empty={trade.noAttempts}
        rows={attempts}
        columns={[
          { head: words.time, cell: (attempt) => <Moment ms={attempt.attemptedAtMs} /> },
          { head: trade.took, cell: (attempt) => attempt.durationMs, isFigure: true },
          { head: trade.answer, cell: (attempt) => attempt.status ?? "–", isFigure: true },
          {
            head: words.overview.state,
            cell: ({ failure }) =>
              failure === null
                ? <State word={trade.accepted} mood="good" />
                : <State word={failures[failure]} mood="bad" />,
          },
          { head: trade.address, cell: (attempt) => <Code text={attempt.address ?? "–"} /> },
        ]}
      />
    </section>
  );
}
