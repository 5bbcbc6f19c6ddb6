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
import { openAccount } from "./lib/account.ts";
import { goldUnits, halalas } from "./lib/halalas.ts";
import { iterate } from "./lib/iterate.ts";
import { readKit } from "./lib/kit.ts";
import { createPartner, openSession, type Partner, type Session } from "./lib/partner.ts";
import { readSettings } from "./lib/settings.ts";
import { summarise, type SummaryData } from "./lib/summary.ts";
import { baseUrlOf, commonOptions, latency } from "./lib/target.ts";
import { repeat, trade } from "./lib/trade.ts";

const QUESTION = "does everything that a partner needs work at all?";
const settings = readSettings({ script: "smoke", rate: 1, duration: "30s" });
const kit = readKit(settings.kit);
const baseUrl = baseUrlOf(settings, kit);

export const options: Options = {
  ...commonOptions(settings, kit),
  scenarios: {
    walk: {
      executor: "constant-arrival-rate",
      rate: settings.rate,
      timeUnit: "1s",
      duration: settings.duration,
      // One caller alone: only so is a balance before and after an order that order's doing.
      preAllocatedVUs: 1,
      maxVUs: 1,
    },
  },
  thresholds: {
    good_iterations: ["rate==1"],
    checks: ["rate==1"],
    replays_accepted: ["count==0"],
    orders_executed: ["count>0"],
    http_req_failed: ["rate==0"],
    // Generous: a first minute is cold. Speed is asked by the other scripts.
    http_req_duration: latency(settings, { 95: 1000 }),
  },
};

export function setup(): Session {
  const session = openSession(kit, baseUrl);
  openAccount(createPartner(kit, baseUrl, session), kit.environment, 100_000);
  return session;
}

let partner: Partner | undefined;

export default async function (session: Session): Promise<void> {
  const ours = partner ??= createPartner(kit, baseUrl, session);
  await iterate(async () => {
    const healthy = check(ours.get("/health", "health"), {
      "the service is well": (a) => a.status === 200 && a.json("status") === "ok",
    });
    const priced = check(ours.get("/v1/prices"), {
      "there is a price": (a) =>
        Number(a.json("buy_price_sar")) >= Number(a.json("sell_price_sar")),
    });
    const probe = ours.send(await ours.sign("/v1/signed-probe", { load: "smoke" }), "probe");
    const verified = check(probe, {
      "a signature is verified": (a) => a.json("verified") === true,
    });

    const before = ours.get("/v1/balances").json() as unknown as Balances;
    const done = await trade(ours, "buy", 0.01);
    if (done === undefined) return false;
    const after = done.order.balances;
    const booked = check(after, {
      "the balance fell by the total": (b) =>
        halalas(before.sar) - halalas(b.sar) === halalas(done.quote.total_sar),
      "the gold grew by the amount": (b) =>
        goldUnits(b.gold_grams) - goldUnits(before.gold_grams) === goldUnits(done.quote.gold_grams),
    });
    const repeated = await repeat(ours, done);
    return healthy && priced && verified && booked && repeated;
  });
}

interface Balances {
  sar: number;
  gold_grams: number;
}

export function handleSummary(data: SummaryData): Record<string, string> {
  return summarise("smoke", QUESTION, data, settings.summary);
}
