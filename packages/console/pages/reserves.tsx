import { RESERVES } from "@sabika/office/reads";
import { findReserve, openReserve, readBanks } from "@sabika/service/reserves";
import {
  PUBLISHED_RESERVE,
  type PublishedReserve,
  readReserve,
  type Reserve,
  RESERVE_OPENING,
} from "@sabika/protocol";
import { mayDo } from "@sabika/terms";
import type { Call, Page } from "../call.ts";
import { jsonFile, linesAnswer } from "../download.ts";
import { date, grams, riyals } from "../format.ts";
import { fill } from "../languages/fill.ts";
import { Id, Moment, None, PrintButton, State } from "../layout/inline.tsx";
import { listPages } from "../layout/list.tsx";
import { Facts, Table } from "../layout/table.tsx";
import { ActForm } from "./act_form.tsx";
import { PoolLink, VersionLink } from "./custody_links.tsx";

/** The reserve of each day, the newest first, and the bank's balances that wait for theirs. */
export const reserves = listPages({
  read: RESERVES,
  entry: "reserves",
  look: (call) => ({
    cells: {
      day: ({ day }) => (
        <a href={`/${call.language}/reserves/${day}`}>
          <bdi dir="ltr">{day}</bdi>
        </a>
      ),
      bank_sar: ({ bankHalalas }) =>
        bankHalalas === null
          ? <State word={call.words.reserves.notEntered} mood="waiting" />
          : riyals(bankHalalas),
      signed: ({ isSigned }) => <Signed call={call} isSigned={isSigned} />,
      hash: ({ hash }) => <Id text={hash} />,
      attested: ({ isAttested }) => <Attested call={call} isAttested={isAttested} />,
    },
  }),
  above: (call) => <Bank call={call} />,
});

const Signed = ({ call: { words }, isSigned }: { call: Call; isSigned: boolean }) =>
  isSigned
    ? <State word={words.reserves.signed} mood="good" />
    : <State word={words.reserves.unsigned} mood="waiting" />;

const Attested = ({ call: { words }, isAttested }: { call: Call; isAttested: boolean }) =>
  isAttested
    ? <State word={words.reserves.attested} mood="good" />
    : <State word={words.reserves.unattested} mood="waiting" />;

const DAY_MS = 86_400_000;

/** What was on the bank account on days that have no reserve yet, and the form to enter it. */
async function Bank({ call }: { call: Call }) {
  const { database: { sql }, now, words: { reserves } } = call;
  const yesterday = date(now() - DAY_MS);
  const { banks, lastDay } = await readBanks(sql);
  const isEntered = banks.some(({ day }) => day === yesterday);
  return (
    <section class="card narrow" aria-labelledby="bank">
      <h2 id="bank">{reserves.bank}</h2>
      <p>{reserves.bankLead}</p>
      <ul>
        {banks.map(({ day, amountHalalas }) => (
          <li>{fill(reserves.entered, { day, amount: riyals(amountHalalas) })}</li>
        ))}
        {!isEntered && (lastDay === null || lastDay < yesterday) && (
          <li>
            <State word={fill(reserves.missing, { day: yesterday })} mood="waiting" />
          </li>
        )}
      </ul>
      <ActForm call={call} act="reserve.bank.set" />
    </section>
  );
}

const dayIn = ({ context }: Call) => context.req.param("day") ?? "";
const DAY = ":day{[0-9]{4}-[0-9]{2}-[0-9]{2}}";

/** The reserve of a day: what was owed, what was there for it, and who signed. */
export const reserve: Page = {
  path: `/reserves/${DAY}`,
  act: "reserve.read",
  async show(call) {
    const day = dayIn(call);
    const found = await findReserve(call.database.sql, day);
    if (found === undefined) return undefined;
    const said = readReserve(found.text);
    return {
      title: fill(call.words.reserves.title, { day }),
      content: (
        <>
          <Figures call={call} found={found} said={said} />
          <Pools call={call} said={said} />
        </>
      ),
    };
  },
};

function Figures({ call, found, said }: { call: Call; found: PublishedReserve; said: Reserve }) {
  const { language, viewer, words } = call;
  const { reserves } = words;
  const { cash, commitments, day, previous } = said;
  const path = `/${language}/reserves/${day}`;
  return (
    <section class="card narrow">
      <p>
        <Signed call={call} isSigned={found.signature !== null} />{" "}
        <Attested call={call} isAttested={found.isAttested} />
      </p>
      <Facts
        facts={[
          [reserves.cashOwed, riyals(cash.obligationsHalalas)],
          [reserves.inTransit, riyals(cash.inTransitHalalas)],
          [
            reserves.onAccount,
            cash.bankHalalas === null
              ? <State word={reserves.notEntered} mood="waiting" />
              : riyals(cash.bankHalalas),
          ],
          [reserves.partners, commitments.length],
          [reserves.hash, <Id text={found.hash} isWhole />],
          [reserves.previous, previous === null ? <None /> : <Id text={previous} isWhole />],
        ]}
      />
      <p class="acts">
        <a href={`${path}/reserve.json`}>{reserves.file}</a>
        {mayDo(viewer.roles, "reserve.openings.read") && (
          <a href={`${path}/openings.jsonl`}>{reserves.openings}</a>
        )}
      </p>
      <PrintButton words={words} />
      {!found.isAttested && <ActForm call={call} act="reserve.attest" fixed={{ day }} isTall />}
    </section>
  );
}

function Pools({ call, said: { pools } }: { call: Call; said: Reserve }) {
  const { words: { fields, none, reserves, vault } } = call;
  return (
    <Table
      section="pools"
      caption={vault.pools}
      empty={none}
      rows={pools}
      columns={[
        { head: fields.pool, cell: ({ id }) => <PoolLink call={call} pool={id} /> },
        {
          head: reserves.version,
          cell: ({ id, version }) => <VersionLink call={call} pool={id} version={version} />,
        },
        {
          head: reserves.goldOwed,
          cell: ({ obligationsMicrograms }) => grams(obligationsMicrograms),
          isFigure: true,
        },
        {
          head: reserves.fine,
          cell: ({ fineMicrograms }) => grams(fineMicrograms),
          isFigure: true,
        },
        {
          head: reserves.lastCount,
          cell: ({ count }) => <Moment ms={count === null ? null : count.atMs} />,
        },
      ]}
    />
  );
}

/** The reserve of a day as partners read it, for whoever signs it from outside. */
export const reserveFile: Page = {
  path: `/reserves/${DAY}/reserve.json`,
  act: "reserve.read",
  async show(call) {
    const day = dayIn(call);
    const found = await findReserve(call.database.sql, day);
    return found && jsonFile(`sabika-reserve-${day}.json`, PUBLISHED_RESERVE.write(found));
  },
};

/** What all commitments of a day hide, for the auditor; the audit log has who read it. */
export const openingsFile: Page = {
  path: `/reserves/${DAY}/openings.jsonl`,
  act: "reserve.openings.read",
  async show(call) {
    const { context, database: { sql }, viewer: { name: who } } = call;
    const day = dayIn(call);
    const opened = await openReserve(sql, { day, who, from: context.get("from") });
    if (opened === undefined || opened.length === 0) return undefined;
    return linesAnswer(`sabika-openings-${day}.jsonl`, async (write) => {
      for (const opening of opened) await write(RESERVE_OPENING.write(opening));
    });
  },
};
