import {
  EVENT_WITH_ATTEMPTS,
  FUNDING_OF_ALL,
  type OneRead,
  PARTNERS_EVENTS,
  QUOTE_OF_ALL,
  WITHDRAWAL_OF_ALL,
} from "@sabika/office/reads";
import { readOne } from "@sabika/office/run-reads";
import type { Child } from "hono/jsx";
import type { Call, Page } from "../call.ts";
import { PartnerLink } from "../layout/inline.tsx";
import { factsOf, type Look } from "../layout/read_table.tsx";
import { Facts } from "../layout/table.tsx";
import { quoteLook } from "./quotes.tsx";
import { Attempts, eventLook } from "./trade.tsx";
import { withdrawalLook, WithdrawalSteps } from "./withdrawals.tsx";

type Kind = "quote" | "funding" | "withdrawal" | "event";

/** Makes the page of one thing that a partner has, below its list's path. */
function recordPage<T>({ path, kind, read, content }: {
  path: `/${string}/:id{${string}}`;
  kind: Kind;
  read: OneRead<T>;
  content: (call: Call, item: T) => Child;
}): Page {
  return {
    path,
    act: read.act,
    async show(call) {
      const { context, office, viewer, words } = call;
      const id = context.req.param("id") ?? "";
      const item = await readOne(read, office.readContext(viewer), { id });
      return item && { title: words.search.kinds[kind], content: content(call, item) };
    },
  };
}

/** A card with all columns of an item that have words. */
function Whole<T>({ call, read, item, look }: {
  call: Call;
  read: OneRead<T>;
  item: T;
  look: Look<T>;
}) {
  const names = Object.entries(read.columns ?? {})
    .flatMap(([name, column]) => column[call.language] === undefined ? [] : [name]);
  return (
    <section class="card">
      <Facts facts={factsOf(call, { read, item, names, look })} />
    </section>
  );
}

/** The pages of a quote, of money that came in, of a withdrawal with its acts, and of an event. */
export const records: readonly Page[] = [
  recordPage({
    path: "/quotes/:id{qt_[0-9a-f-]+}",
    kind: "quote",
    read: QUOTE_OF_ALL,
    content: (call, item) => (
      <Whole call={call} read={QUOTE_OF_ALL} item={item} look={quoteLook(call)} />
    ),
  }),
  recordPage({
    path: "/fundings/:id{fund_[0-9a-f-]+}",
    kind: "funding",
    read: FUNDING_OF_ALL,
    content: (call, item) => <Whole call={call} read={FUNDING_OF_ALL} item={item} look={{}} />,
  }),
  recordPage({
    path: "/withdrawals/:id{wd_[0-9a-f-]+}",
    kind: "withdrawal",
    read: WITHDRAWAL_OF_ALL,
    content: (call, item) => (
      <>
        <Whole call={call} read={WITHDRAWAL_OF_ALL} item={item} look={withdrawalLook(call)} />
        <WithdrawalSteps call={call} withdrawal={item} />
      </>
    ),
  }),
  recordPage({
    path: "/events/:id{evt_[0-9a-f-]+}",
    kind: "event",
    read: EVENT_WITH_ATTEMPTS,
    content: (call, { clientId, event, attempts }) => (
      <>
        <section class="card">
          <Facts
            facts={[
              [call.words.partner, <PartnerLink call={call} clientId={clientId} />],
              ...factsOf(call, {
                read: PARTNERS_EVENTS,
                item: event,
                names: Object.keys(PARTNERS_EVENTS.columns!),
                look: eventLook(call),
              }),
            ]}
          />
        </section>
        <Attempts call={call} story={{ attempts: attempts.toReversed() }} />
      </>
    ),
  }),
];
