import { FUNDINGS } from "@sabika/office/reads";
import { Moment } from "../layout/inline.tsx";
import { listPages } from "../layout/list.tsx";
import { ActForm } from "./act_form.tsx";

/** Money that came in, of all partners, and a form to credit a bank transfer. */
export const fundings = listPages({
  read: FUNDINGS,
  entry: "fundings",
  look: ({ language }) => ({
    cells: {
      created_at: ({ id, createdAtMs }) => (
        <a href={`/${language}/fundings/${id}`}>
          <Moment ms={createdAtMs} />
        </a>
      ),
    },
  }),
  above: (call) => <ActForm call={call} act="funding.credit" />,
});
