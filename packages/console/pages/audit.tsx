import { asDossier } from "@sabika/office/dossier";
import type { SignedEntry } from "@sabika/service/audit";
import { RIGHTS } from "@sabika/terms";
import { AUDIT } from "@sabika/office/reads";
import type { Call } from "../call.ts";
import { Select } from "../layout/filter.tsx";
import { DossierLines } from "../layout/dossier.tsx";
import { Code, State } from "../layout/inline.tsx";
import { listPages } from "../layout/list.tsx";
import { ArgumentList } from "./argument_list.tsx";

/** Details that are not listed, because they have their own column or are too long. */
const NOT_SHOWN = ["act", "signature", "signed_at", "arguments"];

/** The audit log, newest first: who did what, from where, and whether their signature fits. */
export const audit = listPages({
  read: AUDIT,
  entry: "audit",
  look: (call) => ({
    cells: {
      action: ({ action }) => <Code text={action} />,
      client_id: ({ clientId }) => <bdi>{clientId ?? "–"}</bdi>,
      signature: (entry) => <Signed call={call} entry={entry} />,
      detail: ({ detail, signature }) => (
        <>
          {signature?.dossier && (
            <DossierLines call={call} dossier={asDossier(signature.dossier) ?? []} />
          )}
          <ArgumentList
            values={{
              ...Object.fromEntries(
                Object.entries(detail).filter(([name]) => !NOT_SHOWN.includes(name)),
              ),
              ...(signature && { key: signature.keyId }),
            }}
          />
        </>
      ),
    },
  }),
  above: ({ language, words: { audit } }) => (
    <>
      <p class="soft">{audit.lead}</p>
      <p class="pager">
        <a href={`/${language}/audit/verification`}>{audit.verification.link}</a>
      </p>
    </>
  ),
  filters: ({ words }, asked) => (
    <>
      <label for="who">{words.audit.who}</label>
      <input id="who" name="who" value={asked["who"] ?? ""} dir="ltr" />
      <Select
        name="action"
        label={words.approvals.act}
        emptyLabel={words.any}
        options={Object.keys(RIGHTS).filter((name) => !name.endsWith(".read"))
          .map((name) => [name, name] as const)}
        chosen={asked["action"]}
      />
    </>
  ),
});

/** Whether an entry is signed, with what kind of key, and whether the signature fits. */
function Signed({ call: { words }, entry: { detail, signature } }: {
  call: Call;
  entry: SignedEntry;
}) {
  const { audit } = words;
  if ("break_glass" in detail) return <State word={audit.brokenGlass} mood="bad" />;
  if (!("act" in detail)) return <State word={words.no} mood="waiting" />;
  if (signature?.fits !== true) return <State word={audit.doesNotFit} mood="bad" />;
  return <State word={signature.rpId === null ? audit.byKey : audit.byPasskey} mood="good" />;
}
