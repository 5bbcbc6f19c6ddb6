/** Money that comes and goes by bank, by the operator's hand. */
export { creditBankTransfer } from "./credit_bank_transfer.ts";
export { listWithdrawalsToPay } from "./list_withdrawals_to_pay.ts";
export { moveWithdrawal } from "./move_withdrawal.ts";
