import { IDS } from "./names.ts";

type Kind = keyof typeof IDS;
type Name<K extends Kind> = keyof (typeof IDS)[K];

/** Returns the condition of a row with an id in a column. */
const idIn = <K extends Kind>(kind: K, column: string) => (name: Name<K>, partnerId = 1): string =>
  `partner_id = ${partnerId} and ${column} = '${IDS[kind][name]}'`;

/** Conditions of one row of a partner, by its name in `IDS`. */
export const isOrder = idIn("orders", "order_id");
export const isQuote = idIn("quotes", "quote_id");
export const isFunding = idIn("fundings", "funding_id");
export const isWithdrawal = idIn("withdrawals", "withdrawal_id");

/** Conditions of the transfers of something. */
export const ofOrder = idIn("orders", "source_id");
export const ofFunding = idIn("fundings", "source_id");
export const ofWithdrawal = idIn("withdrawals", "source_id");

/** Conditions of the events and the keys of something. */
export const onOrder = idIn("orders", "resource_id");
export const onQuote = idIn("quotes", "resource_id");
export const onFunding = idIn("fundings", "resource_id");
export const onWithdrawal = idIn("withdrawals", "resource_id");
