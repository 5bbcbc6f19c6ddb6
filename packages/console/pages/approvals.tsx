import { type Approval, listApprovals } from "@sabika/core/office";
import { formatTime } from "@sabika/protocol";
import type { Call, Page } from "../call.ts";
import { Code, Moment, State } from "../layout/inline.tsx";
import { file, oneOnly } from "../layout/file.ts";
import { Table } from "../layout/table.tsx";
import { ActForm, Field } from "./act_form.tsx";
import { Given } from "./given.tsx";
import { REQUEST_MOODS } from "./moods.ts";

const SHOWN = 200;
/** Requests are what people ask for: years of them. */
const IN_FILE = 100_000;

/** Acts that wait for a second person, and those that waited. */
export const approvals: Page = {
  path: "/approvals",
  act: "approval.read",
  entry: "approvals",
  async show(call) {
    const { language, words } = call;
    const state = stateOf(call);
    const rows = await read(call, SHOWN);
    const { approvals } = words;
    return {
      title: words.pages.approvals,
      content: (
        <>
          <p>
            {state === "all"
              ? <a href={`/${language}/approvals`}>{approvals.onlyWaiting}</a>
              : <a href={`/${language}/approvals?all`}>{approvals.all}</a>}{" "}
            <a href={`/${language}/approvals.csv${state === "all" ? "?all" : ""}`}>
              {words.orders.export}
            </a>
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

/** The same as a file. */
export const approvalsFile = file<Approval>({
  ...{ path: "/approvals.csv", act: "approval.read", name: "approvals" },
  columns: [
    ["id", (one) => one.id],
    ["act", (one) => one.act],
    ["arguments", (one) => JSON.stringify(one.arguments)],
    ["requester", (one) => one.requester],
    ["requested_at", (one) => formatTime(one.requestedAtMs)],
    ["expires_at", (one) => formatTime(one.expiresAtMs)],
    ["state", (one) => one.state],
    ["decider", (one) => one.decider],
    ["decided_at", (one) => one.decidedAtMs === null ? null : formatTime(one.decidedAtMs)],
    ["reason", (one) => one.reason],
  ],
  pages: async (call) => oneOnly(await read(call, IN_FILE)),
});

/** Those that wait, or what was decided too where the address asks for all. */
const stateOf = ({ context }: Call) => context.req.query("all") === undefined ? "waiting" : "all";

function read(call: Call, limit: number): Promise<Approval[]> {
  const { database: { sql }, environment, now } = call;
  return listApprovals(sql, environment, { nowMs: now(), state: stateOf(call), limit });
}

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
