import { FUNDINGS } from "@sabika/office/reads";
import { listPages } from "../layout/list.tsx";
import { ActForm, Field } from "./act_form.tsx";

/** Money that came in, of all partners, and where a bank transfer is credited. */
export const [fundings, fundingsFile] = listPages({
  read: FUNDINGS,
  entry: "fundings",
  above: (call) => (
    <ActForm call={call} act="funding.credit" given={{}}>
      <Field name="partner" label={call.words.partner} about="credit" />
      <Field name="amount_sar" label={call.words.withdrawals.amount} about="credit" />
      <Field name="reference" label={call.words.orders.reference} about="credit" />
    </ActForm>
  ),
});
