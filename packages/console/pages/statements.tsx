import { type OpenStatement, statementCsvStream } from "@sabika/service/ledger";
import { createReading } from "@sabika/service/trading";
import type { Balances, LedgerEntry } from "@sabika/protocol";
import type { Call, Page } from "../call.ts";
import { CSV, download } from "../download.ts";
import { date, grams, riyals } from "../format.ts";
import { fill } from "../languages/fill.ts";
import { DayField, type Filter, linkTo, PartnerField, readFilter } from "../layout/filter.tsx";
import { Code, PartnerLink, PrintButton, State } from "../layout/inline.tsx";
import { Facts } from "../layout/table.tsx";
import { Entries } from "./ledger.tsx";

const PATH = "/statements";
/** How many entries the page shows; the file has them all. */
const SHOWN = 200;

/** A partner's day: the balances before and after it, and its transfers. */
export const statements: Page = {
  path: PATH,
  act: "trade.read",
  entry: "statements",
  async show(call) {
    const { language, words } = call;
    const { filter, day, statement } = await readStatement(call);
    const asked = { ...filter.asked, day };
    const wrong = filter.wrong ??
      (filter.partnerId !== undefined && statement === undefined
        ? words.statements.notBegun
        : undefined);
    return {
      title: words.pages.statements,
      status: wrong === undefined ? 200 : 400,
      content: (
        <>
          <form class="line" method="get" action={`/${language}${PATH}`}>
            <PartnerField call={call} filter={filter} />
            <DayField name="day" label={words.statements.day} asked={asked} />
            <button type="submit">{words.orders.show}</button>
            {statement && <a href={linkTo(call, `${PATH}.csv`, asked)}>{words.orders.export}</a>}
          </form>
          {wrong !== undefined && <p role="alert" class="wrong">{wrong}</p>}
          {statement && (
            <Statement
              call={call}
              clientId={filter.narrowed.clientId!}
              statement={statement}
              rows={await firstEntries(statement)}
            />
          )}
        </>
      ),
    };
  },
};

/** The statement as a CSV file, as partners get it. */
export const statementFile: Page = {
  path: `${PATH}.csv`,
  act: "trade.read",
  async show(call) {
    const { filter, day, statement } = await readStatement(call);
    if (statement === undefined) return undefined;
    const name = `sabika-statement-${filter.narrowed.clientId}-${day}.csv`;
    return download(name, CSV, statementCsvStream(statement));
  },
};

async function readStatement(call: Call): Promise<{
  filter: Filter;
  day: string;
  statement: OpenStatement | undefined;
}> {
  const { cells, environment, now } = call;
  const filter = await readFilter(call, [["day"]]);
  const { asked, narrowed: { clientId } } = filter;
  const { day = date(now()) } = asked;
  const home = clientId === undefined ? undefined : await cells.homeOf(clientId);
  const statement = home &&
    await createReading({ database: home.database, environment, now })
      .statement({ partnerId: home.partnerId, day });
  return { filter, day, statement };
}

/** The first entries of a statement. */
async function firstEntries({ pages }: OpenStatement): Promise<LedgerEntry[]> {
  for await (const page of pages(SHOWN)) return page;
  return [];
}

function Statement({ call, clientId, statement, rows }: {
  call: Call;
  clientId: string;
  statement: OpenStatement;
  rows: readonly LedgerEntry[];
}) {
  const { words } = call;
  const { statements, trade } = words;
  const { opening, closing, provisional, count } = statement;
  const balancesText = ({ sarHalalas, goldMicrograms }: Balances) =>
    fill(trade.afterOf, { money: riyals(sarHalalas), gold: grams(goldMicrograms) });
  return (
    <>
      <section class="card">
        <Facts
          facts={[
            [words.partner, <PartnerLink call={call} clientId={clientId} />],
            [statements.day, <Code text={statement.date} />],
            [statements.opening, balancesText(opening)],
            [statements.closing, balancesText(closing)],
            [
              words.overview.state,
              provisional
                ? <State word={statements.provisional} mood="waiting" />
                : <State word={statements.closed} mood="good" />,
            ],
            [statements.entries, String(count)],
          ]}
        />
        <PrintButton words={words} />
      </section>
      <Entries call={call} entries={rows} section="entries" caption={statements.caption} />
      {count > BigInt(rows.length) && (
        <p class="soft">{fill(statements.more, { shown: rows.length })}</p>
      )}
    </>
  );
}
