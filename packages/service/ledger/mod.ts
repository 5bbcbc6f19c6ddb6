/** Accounts, transfers, balances, statements, and the checks that they agree. */
export { type EntryFilter, listEntries } from "./account_entries.ts";
export { type BalanceRound, readBalanceRound } from "./balance_round.ts";
export { checkBalances } from "./check_balances.ts";
export { closeDays } from "./close_days.ts";
export { unitOf } from "./difference_unit.ts";
export { type BalanceAlarm, guardBalances } from "./guard_balances.ts";
export { firstTransferAt, readEntries } from "./ledger_entries.ts";
export { lockAccounts, openAccounts } from "./open_accounts.ts";
export { readAccounts } from "./read_accounts.ts";
export {
  type Difference,
  reconcile,
  type Reconciled,
  reconcileSince,
  RECOUNT_CHECKS,
  type RecountCheck,
} from "./reconcile.ts";
export {
  type FoundDifference,
  keepRecountResult,
  type KeptRecount,
  listRecounts,
} from "./recount_results.ts";
export type { OpenStatement } from "./statement.ts";
export { statementCsvStream, statementJsonStream } from "./statement_text.ts";
export { accounts, transfers } from "./tables.ts";
