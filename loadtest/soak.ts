/**
 * Question: after hours at an everyday rate (many tokens and partitions of nonces later), is the
 * service as quick and as right as in the first minutes?
 *
 * The latencies of the first and the last tenth have separate thresholds, so that a slow drift
 * shows as a failure and not as an average.
 *
 *   npm run load -- soak --rate 50 --duration 4h
 *   SABIKA_KIT=… SSL_CERT_FILE=…/ca.crt k6 run loadtest/soak.ts
 */
import exec from "k6/execution";
import type { Options } from "k6/options";
import { iterate } from "./lib/iterate.ts";
import { latency } from "./lib/target.ts";
import { repeat, trade } from "./lib/trade.ts";
import { CORRECTNESS_THRESHOLDS, createTradingScript, type Shared } from "./lib/trading_script.ts";

const script = createTradingScript({
  script: "soak",
  question: "is it as quick and as right after hours as in the first minutes?",
  rate: 20,
  duration: "2h",
  fundSar: 10_000_000,
});
const { settings } = script;
export const { setup, teardown, handleSummary } = script;

export const options: Options = {
  ...script.options,
  scenarios: {
    soak: {
      executor: "constant-arrival-rate",
      rate: settings.rate,
      timeUnit: "1s",
      duration: settings.duration,
      // As in nonce_store.ts.
      preAllocatedVUs: Math.max(20, Math.ceil(settings.rate / 4)),
      maxVUs: Math.max(50, settings.rate * 2),
    },
  },
  thresholds: {
    ...CORRECTNESS_THRESHOLDS,
    http_req_failed: ["rate==0"],
    "http_req_duration{kind:order,phase:first}": latency(settings, { 95: 200, 99: 500 }),
    "http_req_duration{kind:order,phase:last}": latency(settings, { 95: 200, 99: 500 }),
    dropped_iterations: ["rate<1"],
  },
};

let goldGrams = 0;

export default async function (shared: Shared): Promise<void> {
  const partner = script.partner(shared);
  const progress = exec.scenario.progress;
  exec.vu.metrics.tags.phase = progress < 0.1 ? "first" : progress > 0.9 ? "last" : "middle";
  await iterate(async () => {
    // As much is sold as bought, so that neither money nor gold runs out.
    const sells = goldGrams > 1;
    const done = await trade(partner, sells ? "sell" : "buy", { gold_grams: 0.02 });
    if (done === undefined) return false;
    goldGrams = done.order.balances.gold_grams;
    return exec.scenario.iterationInTest % 100 === 50 ? await repeat(partner, done) : true;
  });
}
