import { readAccounts } from "@sabika/core/ledger";
import { listPartners } from "@sabika/core/oversight";
import { readEndpointStates } from "@sabika/core/webhooks";
import type { Page } from "../call.ts";
import { grams, riyals } from "../format.ts";
import { State } from "../layout/inline.tsx";
import { Table } from "../layout/table.tsx";
import { ENDPOINT_MOODS } from "./moods.ts";

/** Every partner, with what it has and how its endpoint stands. */
export const partners: Page = {
  path: "/partners",
  act: "partner.read",
  entry: "partners",
  async show({ database, language, now, words }) {
    const { sql } = database;
    const [rows, accounts, endpoints] = await Promise.all([
      listPartners(database),
      readAccounts(sql),
      readEndpointStates(sql, now()),
    ]);
    const endpointOf = new Map(endpoints.map((one) => [one.partnerId, one]));
    return {
      title: words.pages.partners,
      content: (
        <Table
          caption={words.partners.caption}
          empty={words.none}
          rows={rows}
          columns={[
            {
              head: words.partner,
              cell: ({ clientId }) => (
                <a href={`/${language}/partners/${clientId}`}>
                  <bdi>{clientId}</bdi>
                </a>
              ),
            },
            { head: words.partners.name, cell: ({ name }) => <bdi>{name}</bdi> },
            {
              head: words.partners.status,
              cell: ({ status }) => (
                <State
                  word={words.partners.statuses[status]}
                  mood={status === "active" ? "good" : "bad"}
                />
              ),
            },
            {
              head: words.partners.cash,
              isFigure: true,
              cell: ({ partnerId }) => riyals(accounts.get(partnerId)?.cashHalalas ?? 0n),
            },
            {
              head: words.gold,
              isFigure: true,
              cell: ({ partnerId }) => grams(accounts.get(partnerId)?.goldMicrograms ?? 0n),
            },
            {
              head: words.partners.allocation,
              isFigure: true,
              cell: ({ partnerId }) => grams(accounts.get(partnerId)?.allocationMicrograms ?? 0n),
            },
            {
              head: words.partners.endpoint,
              cell: ({ partnerId }) => {
                const { status } = endpointOf.get(partnerId) ?? {};
                return status === undefined
                  ? "–"
                  : <State word={words.overview.status[status]} mood={ENDPOINT_MOODS[status]} />;
              },
            },
          ]}
        />
      ),
    };
  },
};
