import { ATTESTATION_KEYS } from "@sabika/office/reads";
import { mayDo } from "@sabika/terms";
import type { Call } from "../call.ts";
import { Moment, State } from "../layout/inline.tsx";
import { listPages } from "../layout/list.tsx";
import { ActForm } from "./act_form.tsx";

/** Keys of inspectors and auditors, who sign from outside what the operator says of its gold. */
export const attestationKeys = listPages({
  read: ATTESTATION_KEYS,
  entry: "attestationKeys",
  look: (call) => ({
    states: { role: { words: call.words.outsiders.roles } },
    cells: {
      valid_until: ({ validUntilMs }) =>
        validUntilMs === null
          ? <State word={call.words.outsiders.valid} mood="good" />
          : <Moment ms={validUntilMs} />,
    },
    extraColumns: mayDo(call.viewer.roles, "attestation-key.end")
      ? [{
        head: call.words.approvals.act,
        cell: ({ keyId, validUntilMs }) =>
          validUntilMs === null && (
            <ActForm call={call} act="attestation-key.end" fixed={{ key: keyId }} />
          ),
      }]
      : [],
  }),
  above: ({ words }) => <p>{words.outsiders.lead}</p>,
  below: (call) => <NewKey call={call} />,
});

function NewKey({ call }: { call: Call }) {
  const { viewer, words } = call;
  if (!mayDo(viewer.roles, "attestation-key.add")) return null;
  return (
    <section class="card narrow" aria-labelledby="add">
      <h2 id="add">{words.acts["attestation-key.add"]}</h2>
      <ActForm call={call} act="attestation-key.add" isTall />
    </section>
  );
}
