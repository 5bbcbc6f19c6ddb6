import { type Approval, listApprovals } from "@sabika/core/office";
import type { Call, Page } from "../call.ts";
import { Code, Moment, State } from "../layout/inline.tsx";
import { Table } from "../layout/table.tsx";
import { ActForm, Field } from "./act_form.tsx";
import { Given } from "./given.tsx";
import { REQUEST_MOODS } from "./moods.ts";

const SHOWN = 200;

/** Acts that wait for a second person, and those that waited. */
export const approvals: Page = {
  path: "/approvals",
  act: "approval.read",
  entry: "approvals",
  async show(call) {
    const { context, database: { sql }, environment, language, now, words } = call;
    const state = context.req.query("all") === undefined ? "waiting" : "all";
    const rows = await listApprovals(sql, environment, { nowMs: now(), state, limit: SHOWN });
    const { approvals } = words;
    return {
      title: words.pages.approvals,
      content: (
        <>
          <p>
            {state === "all"
              ? <a href={`/${language}/approvals`}>{approvals.onlyWaiting}</a>
              : <a href={`/${language}/approvals?all`}>{approvals.all}</a>}
          </p>
          <Table<Approval>
            caption={words.pages.approvals}
            empty={approvals.nothing}
            rows={rows}
            columns={[
              { head: approvals.act, cell: (one) => <Code text={one.act} /> },
              { head: approvals.arguments, cell: (one) => <Given given={one.arguments} /> },
              { head: approvals.requester, cell: (one) => <bdi>{one.requester}</bdi> },
              { head: approvals.requested, cell: (one) => <Moment ms={one.requestedAtMs} /> },
              { head: approvals.expires, cell: (one) => <Moment ms={one.expiresAtMs} /> },
              {
                head: words.overview.state,
                cell: (one) => (
                  <State word={approvals.states[one.state]} mood={REQUEST_MOODS[one.state]} />
                ),
              },
              { head: approvals.decider, cell: (one) => <bdi>{one.decider ?? "–"}</bdi> },
              { head: words.overview.reason, cell: (one) => <bdi>{one.reason ?? "–"}</bdi> },
              { head: approvals.decide, cell: (one) => <Decision call={call} request={one} /> },
            ]}
          />
        </>
      ),
    };
  },
};

/** Both ways to decide on a request that waits; who asked may only take it back. */
function Decision({ call, request: { id, sha256, state, requester } }: {
  call: Call;
  request: Approval;
}) {
  if (state !== "waiting") return <span class="soft">–</span>;
  const { viewer, words } = call;
  return (
    <div class="acts">
      {requester !== viewer.name && (
        <ActForm call={call} act="approval.approve" given={{ request: id, sha256 }} />
      )}
      <ActForm call={call} act="approval.reject" given={{ request: id }}>
        <Field name="reason" label={words.overview.reason} about={id} />
      </ActForm>
    </div>
  );
}
