import { readBalanceRounds } from "@sabika/office/oversight";
import { RECOUNTED } from "@sabika/office/reads";
import { answerRead } from "@sabika/office/run-reads";
import {
  type FoundDifference,
  type KeptRecount,
  listRecounts,
  RECOUNT_CHECKS,
  unitOf,
} from "@sabika/service/ledger";
import type { Child } from "hono/jsx";
import type { Call, Page } from "../call.ts";
import { grams, moment, riyals } from "../format.ts";
import { fill } from "../languages/fill.ts";
import { Code, Moment, PartnerLink, PrintButton, State } from "../layout/inline.tsx";
import { type Column, Facts, Table } from "../layout/table.tsx";
import { Balances } from "./balances.tsx";

/** How many of the recounts before the last one are listed. */
const SHOWN = 20;

/** The result of the last recount of the books, and of the recounts before it. */
export const books: Page = {
  path: "/books",
  act: "books.read",
  entry: "books",
  async show(call) {
    const { database, office, words } = call;
    const [[last, ...earlier], rounds] = await Promise.all([
      listRecounts(database.sql, SHOWN + 1),
      readBalanceRounds(office.admin),
    ]);
    const { books } = words;
    return {
      title: words.pages.books,
      content: (
        <>
          <p class="soft">{books.lead}</p>
          <section class="card narrow" aria-labelledby="balances">
            <h2 id="balances">{books.balances}</h2>
            <Balances call={call} rounds={rounds} />
          </section>
          <section aria-labelledby="last">
            <h2 id="last">{books.last}</h2>
            <form class="acts act" method="post" action={`/${call.language}/books`}>
              <button type="submit">{books.recount}</button>
              <PrintButton words={words} />
            </form>
            {last === undefined
              ? <p class="empty">{books.never}</p>
              : <LastRecount call={call} recount={last} />}
          </section>
          {earlier.length > 0 && (
            <Table
              section="earlier"
              caption={books.earlier}
              empty={words.none}
              rows={earlier}
              columns={columnsOf(call)}
            />
          )}
        </>
      ),
    };
  },
};

/** Recounts what came since the last whole recount, of every cell, and shows the result. */
export const recount: Page = {
  path: "/books",
  method: "POST",
  act: "books.read",
  async show({ context, language, office, viewer }) {
    await answerRead(RECOUNTED, office.readContext(viewer), {}, "since=last");
    return context.redirect(`/${language}/books`, 303);
  },
};

function LastRecount({ call, recount }: { call: Call; recount: KeptRecount }) {
  const { words } = call;
  const { books } = words;
  const found = (check: string) =>
    recount.differences.filter((difference) => difference.check === check).length;
  return (
    <>
      <div class="columns">
        <div class="card">
          <Facts
            facts={[
              ...columnsOf(call).map(({ head, cell }) => [head, cell(recount)] as const),
              [books.took, <Code text={`${(recount.durationMs / 1_000).toFixed(1)} s`} />],
              [books.checks, RECOUNT_CHECKS.length],
            ]}
          />
        </div>
        <div class="card">
          <ul class="checks">
            {RECOUNT_CHECKS.map((check) => (
              <li>
                <State
                  word={words.recountChecks[check]}
                  mood={found(check) === 0 ? "good" : "bad"}
                />
              </li>
            ))}
          </ul>
        </div>
      </div>
      {recount.differences.length > 0 && <Differences call={call} recount={recount} />}
    </>
  );
}

function Differences({ call, recount }: { call: Call; recount: KeptRecount }) {
  const { words } = call;
  const { books } = words;
  return (
    <>
      <p class="wrong">{books.whatNow}</p>
      <Table<FoundDifference>
        caption={fill(books.differences, {
          shown: recount.differences.length,
          all: recount.differenceCount,
        })}
        showCaption
        empty={words.none}
        rows={recount.differences}
        columns={[
          {
            head: words.partner,
            cell: ({ clientId }) =>
              clientId === null ? "–" : <PartnerLink call={call} clientId={clientId} />,
          },
          { head: books.check, cell: ({ check }) => words.recountChecks[check] },
          { head: words.ledger.source, cell: ({ subject }) => <Code text={subject} /> },
          {
            head: books.expected,
            cell: (difference) => valueOf(difference, difference.expected),
            isFigure: true,
          },
          {
            head: books.actual,
            cell: (difference) => valueOf(difference, difference.actual),
            isFigure: true,
          },
        ]}
      />
    </>
  );
}

function valueOf(difference: FoundDifference, value: bigint): Child {
  switch (unitOf(difference)) {
    case "moment":
      return <Code text={moment(Number(value))} />;
    case "count":
      return String(value);
    case "gold":
      return <Code text={`${grams(value)} g`} />;
    case "money":
      return <Code text={`${riyals(value)} SAR`} />;
  }
}

/** The columns that every recount is shown with. */
function columnsOf(call: Call): Column<KeptRecount>[] {
  const { books } = call.words;
  return [
    { head: books.finished, cell: ({ finishedAtMs }) => <Moment ms={finishedAtMs} /> },
    {
      head: books.result,
      cell: ({ differenceCount }) =>
        differenceCount === 0
          ? <State word={books.agree} mood="good" />
          : <State word={`${books.disagree}: ${differenceCount}`} mood="bad" />,
    },
    { head: books.who, cell: ({ who }) => <bdi>{who}</bdi> },
    {
      head: books.scope,
      cell: ({ clientId, partners }) =>
        clientId === null
          ? `${books.all}: ${partners}`
          : <PartnerLink call={call} clientId={clientId} />,
    },
    {
      head: books.since,
      cell: ({ sinceMs }) => sinceMs === null ? books.first : <Moment ms={sinceMs} />,
    },
  ];
}
