import { Counter, Rate, Trend } from "k6/metrics";

/**
 * Whether an iteration did all that it should: true or false once an iteration, by `iterate`. k6
 * itself forgives: a script that throws every time passes, as no check was ever false.
 */
export const good = new Rate("good_iterations");

/** Requests that were let through a second time. One is one too many. */
export const replaysAccepted = new Counter("replays_accepted");

/** Orders carried out, and how long quote and order took together, as the customer waits. */
export const ordersExecuted = new Counter("orders_executed");
export const tradeDuration = new Trend("trade_duration", true);
