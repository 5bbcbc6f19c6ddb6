/** Orders, quotes and the like of many partners in one call: the executor and its items. */
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
