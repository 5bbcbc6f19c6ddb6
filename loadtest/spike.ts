/**
 * Question: when everybody comes at once, is each trade carried out or clearly refused, and is the
 * service as quick as before a few seconds later?
 *
 * A calm rate, then within two seconds SABIKA_RATE, then calm again. During the spike the
 * service may refuse as the contract says (429 or 503 with Retry-After, nothing carried out);
 * afterwards the thresholds are those from before it.
 *
 *   npm run load -- spike --rate 500
 *   SABIKA_KIT=… SSL_CERT_FILE=…/ca.crt k6 run loadtest/spike.ts
 */
import { check } from "k6";
import { Counter } from "k6/metrics";
import type { Options } from "k6/options";
import { iterate } from "./lib/iterate.ts";
import type { Answer } from "./lib/partner.ts";
import { secondsOf } from "./lib/seconds.ts";
import { latency } from "./lib/target.ts";
import { reportUnexpected } from "./lib/report_unexpected.ts";
import { trade } from "./lib/trade.ts";
import { CORRECTNESS_THRESHOLDS, createTradingScript, type Shared } from "./lib/trading_script.ts";

const script = createTradingScript({
  script: "spike",
  question: "is a crowd served or clearly refused, and is it calm again at once?",
  rate: 300,
  duration: "1m",
  fundSar: 10_000_000,
});
const { settings } = script;
export const { setup, teardown, handleSummary } = script;

const totalSeconds = Math.max(3, secondsOf(settings.duration));
const calmRate = Math.max(1, Math.round(settings.rate / 10));
const calmSeconds = Math.max(1, Math.round(totalSeconds * 0.25));
const crowdSeconds = Math.max(1, Math.round(totalSeconds * 0.35));
const settleSeconds = Math.min(4, Math.round(totalSeconds * 0.1));

const refusedInSpike = new Counter("refused_in_spike");

export const options: Options = {
  ...script.options,
  scenarios: {
    before: calmScenario(0, calmSeconds),
    spike: {
      executor: "ramping-arrival-rate",
      exec: "crowded",
      startTime: `${calmSeconds}s`,
      startRate: calmRate,
      timeUnit: "1s",
      preAllocatedVUs: Math.ceil(settings.rate / 4),
      maxVUs: settings.rate * 2,
      stages: [
        { target: settings.rate, duration: "2s" },
        { target: settings.rate, duration: `${crowdSeconds}s` },
        { target: calmRate, duration: "2s" },
      ],
    },
    after: calmScenario(
      calmSeconds + crowdSeconds + 4 + settleSeconds,
      totalSeconds - calmSeconds - crowdSeconds,
    ),
  },
  thresholds: {
    ...CORRECTNESS_THRESHOLDS,
    // Before and after the spike nothing is refused, and the latencies are the same.
    "http_req_failed{scenario:before}": ["rate==0"],
    "http_req_failed{scenario:after}": ["rate==0"],
    "http_req_duration{scenario:before,kind:order}": latency(settings, { 95: 200 }),
    "http_req_duration{scenario:after,kind:order}": latency(settings, { 95: 200 }),
    // During the spike callers may wait, but not for ever.
    "http_req_duration{scenario:spike,kind:order}": latency(settings, { 99: 5000 }),
  },
};

function calmScenario(startSeconds: number, seconds: number) {
  return {
    executor: "constant-arrival-rate" as const,
    exec: "quiet",
    startTime: `${startSeconds}s`,
    rate: calmRate,
    timeUnit: "1s",
    duration: `${Math.max(2, seconds)}s`,
    preAllocatedVUs: Math.max(5, calmRate),
    maxVUs: settings.rate,
  };
}

/** Before and after the spike each trade must succeed. */
export async function quiet(shared: Shared): Promise<void> {
  const partner = script.partner(shared);
  await iterate(async () => await trade(partner, "buy", { gold_grams: 0.01 }) !== undefined);
}

/** During the spike a trade succeeds, or is refused with a code that allows a later attempt. */
export async function crowded(shared: Shared): Promise<void> {
  const partner = script.partner(shared);
  await iterate(async () => {
    const key = { "idempotency-key": crypto.randomUUID() };
    const quoted = partner.post("/v1/quotes", { side: "buy", gold_grams: 0.01 }, "quote", key);
    if (quoted.status !== 201) return mayRefuse(quoted);
    const body = { quote_id: quoted.json("id") };
    const order = await partner.sign("/v1/orders", body, { key: crypto.randomUUID() });
    const ordered = partner.send(order, "order");
    return ordered.status === 201 || mayRefuse(ordered);
  });
}

function mayRefuse(answer: Answer): boolean {
  refusedInSpike.add(1);
  const polite = check(answer, {
    "a refusal in the spike is 429 or 503 with Retry-After": (a) =>
      (a.status === 429 || a.status === 503) && a.headers["Retry-After"] !== undefined,
  });
  if (!polite) reportUnexpected(answer);
  return polite;
}
