import type { LoadResult } from "./loader/drive.ts";
import type { Bench } from "./measure.ts";
import type { BenchPartner } from "./world/partners.ts";
import type { RunningService, Site } from "./world/site.ts";

/** For latencies, and where the service is compared with itself. */
export const CONNECTIONS = 32;

/** As many as keep a service busy: with more its rate does not rise, only the time of an order. */
export const BUSY_CONNECTIONS = 64;

/**
 * Orders a second of a service: makes the quotes, lets the loader sign and send. How many quotes are
 * needed is learnt from the service's last run, and kept with the service.
 *
 * @param partners those of the site, or how many of its first
 * @param onGo is called when the first order is about to be sent
 */
export async function runOrders(
  bench: Pick<Bench, "loader" | "seconds">,
  site: Site,
  service: RunningService,
  partners: number | readonly BenchPartner[],
  connections = CONNECTIONS,
  onGo?: () => void,
): Promise<LoadResult> {
  const chosen = typeof partners === "number" ? site.partners.slice(0, partners) : partners;
  const kind = `${chosen.length} partners, ${connections} connections`;
  const expected = lastRates.get(service)?.get(kind) ?? 2_000;
  const orders = Math.ceil(expected * bench.seconds * 1.3) + 1000;
  const lanes = await site.lanes(chosen, orders);
  const result = await bench.loader.run({
    target: service.target,
    baseUrl: site.baseUrl,
    connections,
    seconds: bench.seconds,
    lanes,
  }, onGo);
  const rates = lastRates.get(service) ?? new Map<string, number>();
  lastRates.set(service, rates.set(kind, result.perSecond));
  return result;
}

const lastRates = new WeakMap<RunningService, Map<string, number>>();
