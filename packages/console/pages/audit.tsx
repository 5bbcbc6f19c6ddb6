import { listAudit } from "@sabika/core/admin";
import type { Page } from "../call.ts";
import { Code, Moment, State } from "../layout/inline.tsx";
import { Table } from "../layout/table.tsx";
import { Given } from "./approvals.tsx";

const PAGE_LENGTH = 50;
/** What stands on the page by itself, or is long and for `sabika audit verify`. */
const NOT_SHOWN = ["act", "signature", "signed_at", "arguments"];

/** The audit log, newest first: who did what, from where, and whether they signed it. */
export const audit: Page = {
  path: "/audit",
  act: "audit.read",
  entry: "audit",
  async show({ context, database: { sql }, language, words }) {
    const { audit } = words;
    const before = /^[1-9][0-9]{0,15}$/.exec(context.req.query("before") ?? "")?.[0];
    const found = await listAudit(sql, {
      limit: PAGE_LENGTH + 1,
      ...(before !== undefined && { beforeId: BigInt(before) }),
    });
    const rows = found.slice(0, PAGE_LENGTH);
    return {
      title: words.pages.audit,
      content: (
        <>
          <p class="soft">{audit.lead}</p>
          <Table
            caption={words.pages.audit}
            empty={words.none}
            rows={rows}
            columns={[
              { head: audit.number, cell: (one) => String(one.auditId), isFigure: true },
              { head: words.time, cell: (one) => <Moment ms={one.atMs} /> },
              { head: audit.who, cell: (one) => <bdi>{one.who}</bdi> },
              {
                head: audit.signed,
                cell: ({ detail }) =>
                  "break_glass" in detail
                    ? <State word={audit.brokenGlass} mood="bad" />
                    : "act" in detail
                    ? <State word={words.yes} mood="good" />
                    : <State word={words.no} mood="waiting" />,
              },
              { head: words.approvals.act, cell: (one) => <Code text={one.action} /> },
              { head: words.partner, cell: (one) => <bdi>{one.clientId ?? "–"}</bdi> },
              { head: audit.from, cell: (one) => <bdi>{one.from}</bdi> },
              {
                head: audit.detail,
                cell: ({ detail }) => (
                  <Given
                    given={Object.fromEntries(
                      Object.entries(detail).filter(([name]) => !NOT_SHOWN.includes(name)),
                    )}
                  />
                ),
              },
            ]}
          />
          {found.length > PAGE_LENGTH && (
            <p class="pager">
              <a rel="next" href={`/${language}/audit?before=${rows.at(-1)!.auditId}`}>
                {words.orders.older}
              </a>
            </p>
          )}
        </>
      ),
    };
  },
};
