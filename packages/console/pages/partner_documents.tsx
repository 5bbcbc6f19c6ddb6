import { DOCUMENTS } from "@sabika/office/reads";
import { readPart } from "@sabika/office/run-reads";
import { mayDo } from "@sabika/terms";
import type { Call } from "../call.ts";
import { ReadTable } from "../layout/read_table.tsx";
import { ActForm } from "./act_form.tsx";
import { documentLook } from "./documents.tsx";

/** Documents on file about a partner, with the forms that change them. */
export async function Documents({ call, clientId }: { call: Call; clientId: string }) {
  const { office, viewer, words } = call;
  const part = await readPart(
    DOCUMENTS,
    office.readContext(viewer),
    { filter: { client_id: clientId } },
    "every cell",
  );
  const mayChange = mayDo(viewer.roles, "partner.document.set");
  const { partnerFile, acts } = words;
  return (
    <section aria-labelledby="documents">
      <h2 id="documents">{partnerFile.documents}</h2>
      <ReadTable
        call={call}
        read={DOCUMENTS}
        items={part?.data ?? []}
        names={["reference", "kind", "state", "issued_on", "valid_until", "sha256"]}
        caption={partnerFile.documents}
        empty={partnerFile.noDocuments}
        look={{
          ...documentLook(call),
          extraColumns: mayChange
            ? [{
              head: words.approvals.act,
              cell: ({ reference }) => (
                <ActForm
                  call={call}
                  act="partner.document.remove"
                  fixed={{ partner: clientId, reference }}
                />
              ),
            }]
            : [],
        }}
      />
      {mayChange && (
        <details>
          <summary>{acts["partner.document.set"]}</summary>
          <p data-hashes="given.document_sha256" hidden>
            <label>
              {partnerFile.file} <input type="file" />
            </label>
          </p>
          <ActForm call={call} act="partner.document.set" fixed={{ partner: clientId }} isTall />
        </details>
      )}
    </section>
  );
}
