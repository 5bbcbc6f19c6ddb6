import { FUNDINGS } from "@sabika/office/reads";
import { listPages } from "../layout/list.tsx";
import { ActForm } from "./act_form.tsx";

/** Money that came in, of all partners, and a form to credit a bank transfer. */
export const [fundings, fundingsFile] = listPages({
  read: FUNDINGS,
  entry: "fundings",
  above: (call) => <ActForm call={call} act="funding.credit" />,
});
