/** What the sandbox's failures on demand need of the database. */
export { advanceClock, readClockAhead } from "./clock.ts";
export {
  deliverAt,
  eventsAhead,
  findEvent,
  holdEvents,
  passEvent,
  releaseEvents,
  wasAttempted,
} from "./event_times.ts";
export { readAllocation } from "./read_allocation.ts";
export { simulateGiveaway } from "./simulate_giveaway.ts";
export { simulateOldQuote } from "./simulate_old_quote.ts";
export { simulateWithdrawal } from "./simulate_withdrawal.ts";
