/** Withdrawals: placed, cancelled, read. */
export { findPartnerOfWithdrawal } from "./find_partner_of_withdrawal.ts";
export { readWithdrawal } from "./read_withdrawals.ts";
export { withdrawals } from "./tables.ts";
