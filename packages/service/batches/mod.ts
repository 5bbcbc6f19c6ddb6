/** The commands that are carried out in batches: quotes, orders, fundings and withdrawals. */
export type {
  CancelCommand,
  Command,
  FundCommand,
  OrderCommand,
  QuoteCommand,
  SignedCommand,
  TradingPartner,
  WithdrawCommand,
} from "./commands.ts";
export { outOfBounds } from "./refusals.ts";
