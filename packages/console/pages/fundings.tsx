import { FUNDINGS } from "@sabika/office/reads";
import type { Call } from "../call.ts";
import { MomentLink } from "../layout/inline.tsx";
import { listPages } from "../layout/list.tsx";
import { ActForm } from "./act_form.tsx";

/** Money that came in, of all partners, and a form to credit a bank transfer. */
export const fundings = listPages({
  read: FUNDINGS,
  entry: "fundings",
  look: fundingLook,
  above: (call) => <ActForm call={call} act="funding.credit" />,
});

/** Returns the cells of the columns of money that came in, for all lists. */
export function fundingLook(call: Call) {
  return {
    cells: {
      created_at: ({ id, createdAtMs }: { id: string; createdAtMs: number }) => (
        <MomentLink call={call} path={`/fundings/${id}`} ms={createdAtMs} />
      ),
    },
  };
}
