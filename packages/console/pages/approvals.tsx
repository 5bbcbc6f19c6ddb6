import type { Approval } from "@sabika/office/acts";
import { APPROVALS } from "@sabika/office/reads";
import type { Call } from "../call.ts";
import { sayRefusal } from "../languages/say_refusal.ts";
import { Code, None } from "../layout/inline.tsx";
import { fill } from "../languages/fill.ts";
import { formOf, readAlike, TogetherForms } from "./approve_together.tsx";
import { DossierLines } from "../layout/dossier.tsx";
import { listPages } from "../layout/list.tsx";
import { ActForm, type OfferedAct } from "./act_form.tsx";
import { ArgumentList } from "./argument_list.tsx";
import { REQUEST_MOODS } from "./moods.ts";

/** Acts that wait for a second person, and those that waited. */
export const approvals = listPages({
  read: APPROVALS,
  entry: "approvals",
  // People make few requests: a file of this length has years of them.
  lengths: [200, 100_000],
  look: async (call) => {
    const alike = await readAlike(call);
    const isTheirs = ({ id, act }: Approval) =>
      alike.get(act)?.some((one) => one.id === id) === true;
    return {
      states: { state: { words: call.words.approvals.states, moods: REQUEST_MOODS } },
      cells: {
        act: (request) => {
          const { id, act } = request;
          const name = call.words.acts[act as OfferedAct] ?? <Code text={act} />;
          if (!isTheirs(request) || alike.get(act)!.length < 2) return name;
          return (
            <label class="choice">
              <input type="checkbox" name="request" value={id} form={formOf(act)} />
              {name}
            </label>
          );
        },
        // Why people rejected one is in their own words.
        reason: ({ state, reason }) =>
          reason === null ? <None /> : (
            <bdi class="text">
              {state === "void" ? sayRefusal(call.language, reason) : reason}
            </bdi>
          ),
        arguments: (request) =>
          request.dossier === null
            ? <ArgumentList values={request.arguments} />
            : <DossierLines call={call} dossier={request.dossier} />,
      },
      extraColumns: [{
        head: call.words.approvals.decide,
        isAct: true,
        cell: (request) => (
          <Decision call={call} request={request} mayApprove={isTheirs(request)} />
        ),
      }],
    };
  },
  above: (call) => {
    const { context, language, words: { approvals } } = call;
    return (
      <>
        <p>
          {context.req.query("for") !== undefined &&
            `${fill(approvals.forPerson, { name: context.req.query("for")! })} `}
          {context.req.query("state") === "all" || context.req.query("for") !== undefined
            ? <a href={`/${language}/approvals`}>{approvals.onlyWaiting}</a>
            : <a href={`/${language}/approvals?state=all`}>{approvals.all}</a>}
        </p>
        <TogetherForms call={call} />
      </>
    );
  },
  filters: () => undefined,
});

/** Forms to approve or reject a request that waits; its requester may only withdraw it. */
function Decision({ call, request: { id, sha256, state, requester }, mayApprove }: {
  call: Call;
  request: Approval;
  mayApprove: boolean;
}) {
  if (state !== "waiting" || !mayApprove && requester !== call.viewer.name) {
    return <span class="soft">–</span>;
  }
  return (
    <div class="acts">
      {mayApprove && <ActForm call={call} act="approval.approve" fixed={{ request: id, sha256 }} />}
      <ActForm call={call} act="approval.reject" fixed={{ request: id }} />
    </div>
  );
}
