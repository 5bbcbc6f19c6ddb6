import type { Approval } from "@sabika/office/acts";
import { APPROVALS } from "@sabika/office/reads";
import type { Call } from "../call.ts";
import { Code } from "../layout/inline.tsx";
import { fill } from "../languages/fill.ts";
import { DossierLines } from "../layout/dossier.tsx";
import { listPages } from "../layout/list.tsx";
import { ActForm, type OfferedAct } from "./act_form.tsx";
import { ArgumentList } from "./argument_list.tsx";
import { REQUEST_MOODS } from "./moods.ts";

/** Acts that wait for a second person, and those that waited. */
export const [approvals, approvalsFile] = listPages({
  read: APPROVALS,
  entry: "approvals",
  // People make few requests: a file of this length has years of them.
  lengths: [200, 100_000],
  look: (call) => ({
    states: { state: { words: call.words.approvals.states, moods: REQUEST_MOODS } },
    cells: {
      act: ({ act }) => call.words.acts[act as OfferedAct] ?? <Code text={act} />,
      arguments: (request) =>
        request.dossier === null
          ? <ArgumentList values={request.arguments} />
          : <DossierLines call={call} dossier={request.dossier} />,
    },
    extraColumns: [{
      head: call.words.approvals.decide,
      isAct: true,
      cell: (request) => <Decision call={call} request={request} />,
    }],
  }),
  above: ({ context, language, words: { approvals } }) => (
    <p>
      {context.req.query("for") !== undefined &&
        `${fill(approvals.forPerson, { name: context.req.query("for")! })} `}
      {context.req.query("state") === "all" || context.req.query("for") !== undefined
        ? <a href={`/${language}/approvals`}>{approvals.onlyWaiting}</a>
        : <a href={`/${language}/approvals?state=all`}>{approvals.all}</a>}
    </p>
  ),
  filters: () => undefined,
});

/** Forms to approve or reject a request that waits; its requester may only withdraw it. */
function Decision({ call, request: { id, sha256, state, requester } }: {
  call: Call;
  request: Approval;
}) {
  if (state !== "waiting") return <span class="soft">–</span>;
  return (
    <div class="acts">
      {requester !== call.viewer.name && (
        <ActForm call={call} act="approval.approve" fixed={{ request: id, sha256 }} />
      )}
      <ActForm call={call} act="approval.reject" fixed={{ request: id }} />
    </div>
  );
}
