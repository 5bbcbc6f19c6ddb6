/**
 * Question: at a given number of trades a second, does a partner's customer get quote and order
 * quickly, at exactly the quoted price, and do the books agree afterwards to the halala?
 *
 * By arrival rate: iterations start when they are due, whether or not earlier ones are done, so a
 * slow service is seen as slow instead of being asked less. The rate climbs in stages to
 * SABIKA_RATE, holds it, and comes down.
 *
 *   npm run load -- quote_order --rate 100 --duration 1m
 *   SABIKA_KIT=… SSL_CERT_FILE=…/ca.crt k6 run loadtest/quote_order.ts
 */
import exec from "k6/execution";
import type { Options } from "k6/options";
import { iterate } from "./lib/iterate.ts";
import { shareOf } from "./lib/seconds.ts";
import { latency } from "./lib/target.ts";
import { repeat, trade } from "./lib/trade.ts";
import { CORRECTNESS_THRESHOLDS, createTradingScript, type Shared } from "./lib/trading_script.ts";

const script = createTradingScript({
  script: "quote_order",
  question: "is the quoted price the executed one, quickly, at this many trades a second?",
  rate: 50,
  duration: "1m",
  fundSar: 10_000_000,
});
const { settings } = script;
export const { setup, teardown, handleSummary } = script;

export const options: Options = {
  ...script.options,
  scenarios: {
    trades: {
      executor: "ramping-arrival-rate",
      startRate: Math.max(1, Math.round(settings.rate / 10)),
      timeUnit: "1s",
      // As in nonce_store.ts.
      preAllocatedVUs: Math.max(20, Math.ceil(settings.rate / 4)),
      maxVUs: Math.max(50, settings.rate),
      stages: [
        { target: Math.ceil(settings.rate / 2), duration: shareOf(settings.duration, 0.2) },
        { target: settings.rate, duration: shareOf(settings.duration, 0.2) },
        { target: settings.rate, duration: shareOf(settings.duration, 0.5) },
        {
          target: Math.max(1, Math.round(settings.rate / 10)),
          duration: shareOf(settings.duration, 0.1),
        },
      ],
    },
  },
  thresholds: {
    ...CORRECTNESS_THRESHOLDS,
    http_req_failed: ["rate==0"],
    // A customer waits for quote and order in turn, so each must be quick.
    "http_req_duration{kind:quote}": latency(settings, { 95: 150, 99: 400 }),
    "http_req_duration{kind:order}": latency(settings, { 95: 200, 99: 500 }),
    // Trades that were due but did not start: the rate was not reached.
    dropped_iterations: ["rate<1"],
  },
};

let goldGrams = 0;

export default async function (shared: Shared): Promise<void> {
  const partner = script.partner(shared);
  await iterate(async () => {
    const turn = exec.scenario.iterationInTest;
    // Some customers sell, once there is gold to sell, and some repeat their requests.
    const sells = turn % 4 === 3 && goldGrams > 1;
    // Some request a quote by money instead of gold.
    const size = turn % 5 === 2
      ? { amount_sar: sells ? 6 : 15 }
      : { gold_grams: sells ? 0.01 : 0.03 };
    const done = await trade(partner, sells ? "sell" : "buy", size);
    if (done === undefined) return false;
    goldGrams = done.order.balances.gold_grams;
    return turn % 20 === 10 ? await repeat(partner, done) : true;
  });
}
