import { type Form, HALALAS, MICROGRAMS } from "../form.ts";
import { member, record } from "../record_form.ts";

/** The money and gold of a partner (Decision D19). */
export interface Balances {
  /** Money that can be spent. */
  readonly sarHalalas: bigint;
  /** Gold that can be sold. */
  readonly goldMicrograms: bigint;
}

/** The form of GET /v1/balances. */
export const BALANCES: Form<Balances> = record<Balances>("balances", {
  sarHalalas: member("sar", HALALAS, "Money that can be spent."),
  goldMicrograms: member("gold_grams", MICROGRAMS, "Gold that can be sold."),
});
