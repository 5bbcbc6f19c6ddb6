import { Counter, Rate, Trend } from "k6/metrics";

/**
 * Whether an iteration did all that it should, recorded by `iterate`. k6 alone would pass a script that
 * always throws, since no check fails.
 */
export const good = new Rate("good_iterations");

/** Requests that were accepted a second time, of which there must be none. */
export const replaysAccepted = new Counter("replays_accepted");

/** Executed orders. */
export const ordersExecuted = new Counter("orders_executed");
/** The time of quote and order together, in milliseconds, as a customer waits for it. */
export const tradeDuration = new Trend("trade_duration", true);
