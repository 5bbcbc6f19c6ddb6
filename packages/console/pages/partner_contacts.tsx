import { PARTNERS_CONTACTS } from "@sabika/office/reads";
import { readPart } from "@sabika/office/run-reads";
import type { PartnerRecord } from "@sabika/service/partners";
import { mayDo } from "@sabika/terms";
import type { Call } from "../call.ts";
import { ReadTable } from "../layout/read_table.tsx";
import { ActForm } from "./act_form.tsx";

/** Whom to call at a partner, with the forms that change it. */
export async function Contacts({ call, partner: { clientId } }: {
  call: Call;
  partner: PartnerRecord;
}) {
  const { office, viewer, words } = call;
  const part = await readPart(
    PARTNERS_CONTACTS,
    office.readContext(viewer),
    { path: { partner: clientId } },
    "every cell",
  );
  const mayChange = mayDo(viewer.roles, "partner.contact.set");
  const { partnerFile, acts } = words;
  return (
    <section aria-labelledby="contacts">
      <h2 id="contacts">{partnerFile.contacts}</h2>
      <ReadTable
        call={call}
        read={PARTNERS_CONTACTS}
        items={part?.data ?? []}
        names={["name", "role", "telephone", "mail"]}
        caption={partnerFile.contacts}
        empty={partnerFile.nobody}
        look={{
          cells: {
            telephone: ({ telephone }) =>
              telephone && (
                <a href={`tel:${telephone.replaceAll(/[^+0-9]/g, "")}`} dir="ltr">{telephone}</a>
              ),
            mail: ({ mail }) => mail && <a href={`mailto:${mail}`} dir="ltr">{mail}</a>,
          },
          extraColumns: mayChange
            ? [{
              head: words.approvals.act,
              cell: ({ name }) => (
                <ActForm
                  call={call}
                  act="partner.contact.remove"
                  fixed={{ partner: clientId, name }}
                />
              ),
            }]
            : [],
        }}
      />
      {mayChange && (
        <details>
          <summary>{acts["partner.contact.set"]}</summary>
          <ActForm call={call} act="partner.contact.set" fixed={{ partner: clientId }} isTall />
        </details>
      )}
    </section>
  );
}
