import { PARTNERS_CREDENTIALS } from "@sabika/office/reads";
import type { CredentialView } from "@sabika/office/wire";
import type { CredentialEntry } from "@sabika/service/partners";
import type { Call } from "../call.ts";
import { moment } from "../format.ts";
import { Id, None } from "../layout/inline.tsx";
import { Timeline } from "../layout/plots.tsx";
import { ReadTable } from "../layout/read_table.tsx";
import { ActForm } from "./act_form.tsx";
import { CREDENTIAL_MOODS } from "./moods.ts";

/** A partner's credentials, with their ends. */
export function Credentials({ call, credentials, nowMs }: {
  call: Call;
  credentials: readonly CredentialEntry[];
  nowMs: number;
}) {
  const { words } = call;
  const { partners } = words;
  const newest = credentials.toSorted((a, b) => b.validFromMs - a.validFromMs);
  return (
    <section aria-labelledby="credentials">
      <h2 id="credentials">{partners.credentials}</h2>
      <figure class="card">
        <Timeline
          alt={partners.timelineSays}
          today={partners.today}
          nowMs={nowMs}
          formatTime={(ms) => moment(ms).slice(0, 7)}
          spans={newest.filter(({ state }) => state === "active").map((credential) => ({
            label: words.credentials[credential.kind],
            text: [credential.validFromMs, credential.validUntilMs]
              .map((ms) => ms === null ? "" : moment(ms)).join(" – "),
            fromMs: credential.validFromMs,
            untilMs: credential.validUntilMs,
          }))}
        />
      </figure>
      <ReadTable
        call={call}
        read={PARTNERS_CREDENTIALS}
        caption={partners.credentials}
        empty={words.none}
        items={newest}
        names={["kind", "id", "state", "valid_from", "valid_until", "scope"]}
        look={{
          states: {
            kind: { words: words.credentials },
            state: { words: partners.credentialStates, moods: CREDENTIAL_MOODS },
          },
          cells: { id: ({ credentialId }) => <Id text={credentialId} /> },
          extraColumns: [{
            head: words.approvals.act,
            cell: (credential) => <Ending call={call} credential={credential} />,
          }],
        }}
      />
    </section>
  );
}

/** The form that ends a lost or stolen credential at once. */
function Ending({ call, credential: { clientId: partner, kind, credentialId: id, state } }: {
  call: Call;
  credential: CredentialView;
}) {
  if (state !== "active") return <None />;
  if (kind === "certificate") {
    return <ActForm call={call} act="certificate.revoke" fixed={{ partner, certificate: id }} />;
  }
  if (kind !== "signing_key") return <None />;
  const input = { partner, key_id: id, overlap_ms: 0 };
  return <ActForm call={call} act="signing-key.retire" fixed={input} />;
}
