/**
 * Question: in a deployment's first minute, does everything that a partner needs work at all?
 *
 * One caller walks the core flow once a second: health, prices, quote, order, the order repeated in
 * both ways, a signed probe, and the account, which must have fallen by exactly the order's total.
 *
 *   npm run load -- smoke
 *   SABIKA_KIT=… SSL_CERT_FILE=…/ca.crt k6 run loadtest/smoke.ts
 */
import { check } from "k6";
import type { Options } from "k6/options";
import { goldUnits, halalas } from "./lib/halalas.ts";
import { iterate } from "./lib/iterate.ts";
import { latency } from "./lib/target.ts";
import { repeat, trade } from "./lib/trade.ts";
import { CORRECTNESS_THRESHOLDS, createTradingScript, type Shared } from "./lib/trading_script.ts";

const script = createTradingScript({
  script: "smoke",
  question: "does everything that a partner needs work at all?",
  rate: 1,
  duration: "30s",
  fundSar: 100_000,
});
const { settings } = script;
export const { setup, teardown, handleSummary } = script;

export const options: Options = {
  ...script.options,
  scenarios: {
    walk: {
      executor: "constant-arrival-rate",
      rate: settings.rate,
      timeUnit: "1s",
      duration: settings.duration,
      // Only one caller, so that a change of the balance is due to its order.
      preAllocatedVUs: 1,
      maxVUs: 1,
    },
  },
  thresholds: {
    ...CORRECTNESS_THRESHOLDS,
    http_req_failed: ["rate==0"],
    // Generous, because caches are cold in the first minute; the other scripts test speed.
    http_req_duration: latency(settings, { 95: 1000 }),
  },
};

export default async function (shared: Shared): Promise<void> {
  const partner = script.partner(shared);
  await iterate(async () => {
    const healthy = check(partner.get("/health", "health"), {
      "the service is healthy": (a) => a.status === 200 && a.json("status") === "ok",
    });
    const priced = check(partner.get("/v1/prices"), {
      "there is a price": (a) =>
        Number(a.json("buy_price_sar")) >= Number(a.json("sell_price_sar")),
    });
    const probe = partner.send(await partner.sign("/v1/signed-probe", { load: "smoke" }), "probe");
    const verified = check(probe, {
      "a signature is verified": (a) => a.json("verified") === true,
    });

    const before = partner.get("/v1/balances").json() as unknown as Balances;
    const done = await trade(partner, "buy", { gold_grams: 0.01 });
    if (done === undefined) return false;
    const after = done.order.balances;
    const booked = check(after, {
      "the balance fell by the total": (b) =>
        halalas(before.sar) - halalas(b.sar) === halalas(done.quote.total_sar),
      "the gold grew by the amount": (b) =>
        goldUnits(b.gold_grams) - goldUnits(before.gold_grams) === goldUnits(done.quote.gold_grams),
    });
    const repeated = await repeat(partner, done);
    return healthy && priced && verified && booked && repeated;
  });
}

interface Balances {
  sar: number;
  gold_grams: number;
}
