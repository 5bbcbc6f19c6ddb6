import { mayDo } from "@sabika/core/admin";
import { readAccounts } from "@sabika/core/ledger";
import { listPartners } from "@sabika/core/oversight";
import { readEndpointStates } from "@sabika/core/webhooks";
import { formatHalalas, formatMicrograms } from "@sabika/protocol";
import type { Call, Page } from "../call.ts";
import { grams, riyals } from "../format.ts";
import { file, oneOnly } from "../layout/file.ts";
import { PartnerLink, State } from "../layout/inline.tsx";
import { whole } from "../layout/list.tsx";
import { Table } from "../layout/table.tsx";
import { WithoutCells } from "../layout/without_cells.tsx";
import { ENDPOINT_MOODS } from "./moods.ts";

/** Every partner, with what it has and how its endpoint stands. */
export const partners: Page = {
  path: "/partners",
  act: "partner.read",
  entry: "partners",
  async show(call) {
    const { language, viewer, words } = call;
    const { rows, away } = await read(call);
    return {
      title: words.pages.partners,
      content: (
        <>
          <p class="pager">
            {mayDo(viewer.roles, "partner.create") && (
              <a href={`/${language}/admission`}>{words.admission.title}</a>
            )}
            <a href={`/${language}/partners.csv`}>{words.orders.export}</a>
          </p>
          <WithoutCells words={words} away={away} />
          <Table
            caption={words.partners.caption}
            empty={words.none}
            rows={rows}
            columns={[
              {
                head: words.partner,
                cell: ({ clientId }) => <PartnerLink call={call} clientId={clientId} />,
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
                cell: ifKnown(({ cashHalalas }) => riyals(cashHalalas)),
              },
              {
                head: words.gold,
                isFigure: true,
                cell: ifKnown(({ goldMicrograms }) => grams(goldMicrograms)),
              },
              {
                head: words.partners.allocation,
                isFigure: true,
                cell: ifKnown(({ allocationMicrograms }) => grams(allocationMicrograms)),
              },
              {
                head: words.partners.endpoint,
                cell: ({ endpoint }) =>
                  endpoint === undefined ? "–" : (
                    <State
                      word={words.overview.status[endpoint.status]}
                      mood={ENDPOINT_MOODS[endpoint.status]}
                    />
                  ),
              },
            ]}
          />
        </>
      ),
    };
  },
};

async function read({ cells, database, now }: Pick<Call, "cells" | "database" | "now">) {
  const [partners, { found, away }] = await Promise.all([
    listPartners(database),
    cells.ofUsable(
      undefined,
      ({ sql }) => Promise.all([readAccounts(sql), readEndpointStates(sql, now())]),
    ),
  ]);
  const accounts = new Map(found.flatMap(([own]) => [...own]));
  const endpointOf = new Map(
    found.flatMap(([, endpoints]) => endpoints).map((one) => [one.partnerId, one]),
  );
  // Of whoever is in a cell that is away it is not known.
  const none = away.length === 0 ? NOTHING : undefined;
  const rows = partners.map((one) => ({
    ...one,
    accounts: accounts.get(one.partnerId) ?? none,
    endpoint: endpointOf.get(one.partnerId),
  }));
  return { rows, away };
}

/** A figure of a partner's accounts, where these can be asked. */
const ifKnown =
  (figure: (accounts: typeof NOTHING) => string) =>
  ({ accounts }: { accounts: typeof NOTHING | undefined }) =>
    accounts === undefined ? "–" : figure(accounts);

const NOTHING = { cashHalalas: 0n, goldMicrograms: 0n, allocationMicrograms: 0n };

/** The same as a file. */
export const partnersFile = file<Awaited<ReturnType<typeof read>>["rows"][number]>({
  ...{ path: "/partners.csv", act: "partner.read", name: "partners" },
  columns: [
    ["client_id", (one) => one.clientId],
    ["name", (one) => one.name],
    ["status", (one) => one.status],
    ["cash_sar", (one) => formatHalalas(one.accounts?.cashHalalas ?? 0n)],
    ["gold_grams", (one) => formatMicrograms(one.accounts?.goldMicrograms ?? 0n)],
    ["allocation_grams", (one) => formatMicrograms(one.accounts?.allocationMicrograms ?? 0n)],
    ["endpoint", (one) => one.endpoint?.status ?? null],
    ["endpoint_pending", (one) => one.endpoint?.pendingEvents ?? null],
  ],
  pages: async (call) => oneOnly(whole(await read(call)).rows),
});
