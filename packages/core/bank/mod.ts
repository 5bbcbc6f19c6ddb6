/** Money in and out by bank, as the operator records it. */
export { creditBankTransfer } from "./credit_bank_transfer.ts";
export { listWithdrawalsToPay, type WithdrawalToPay } from "./list_withdrawals_to_pay.ts";
export { moveWithdrawal } from "./move_withdrawal.ts";
