/** The withdrawals that are to be paid by bank. */
export {
  listWithdrawalsToPay,
  readWithdrawalToPay,
  type WithdrawalToPay,
} from "./list_withdrawals_to_pay.ts";
