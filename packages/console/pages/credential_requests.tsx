import type { AskedCredential } from "@sabika/service/credentials";
import { ASKED_CREDENTIALS } from "@sabika/office/reads";
import { mayDo } from "@sabika/terms";
import type { Call } from "../call.ts";
import { Id } from "../layout/inline.tsx";
import { listPages } from "../layout/list.tsx";
import { ActForm } from "./act_form.tsx";
import { ASKED_MOODS } from "./moods.ts";

/** What partners ask for of certificates and signing keys, with what answers each (Decision D120). */
export const credentialRequests = listPages({
  read: ASKED_CREDENTIALS,
  entry: "credentialRequests",
  look: (call) => ({
    states: {
      kind: { words: call.words.credentials },
      status: { words: call.words.credentialRequests, moods: ASKED_MOODS },
    },
    cells: {
      id: ({ id }) => <Id text={id} />,
      key_id: ({ keyId }) => <Id text={keyId} />,
    },
    extraColumns: mayDo(call.viewer.roles, "credential.refuse")
      ? [{
        head: call.words.approvals.act,
        cell: (asked) => asked.status === "pending" && <Answers call={call} asked={asked} />,
      }]
      : [],
  }),
});

function Answers({ call, asked }: { call: Call; asked: AskedCredential }) {
  const { clientId: partner, id: request, csr, overlapSeconds } = asked;
  const terms = { partner, request, overlap_ms: overlapSeconds * 1000 };
  const [act, fixed] = asked.kind === "certificate"
    ? ["certificate.rotate", { ...terms, csr }] as const
    : ["signing-key.rotate", { ...terms, key: csr }] as const;
  return (
    <>
      <ActForm call={call} act={act} fixed={fixed} />
      <ActForm call={call} act="credential.refuse" fixed={{ partner, request }} />
    </>
  );
}
