import type { LoadResult } from "./loader/drive.ts";
import type { Bench } from "./measure.ts";
import type { BenchPartner } from "./world/partners.ts";
import type { RunningService, Site } from "./world/site.ts";

/** The number of connections for latencies, and for comparing the service with itself. */
export const CONNECTIONS = 32;

/** The number of connections that saturates a service: more raise only the latency of orders. */
export const BUSY_CONNECTIONS = 64;

/**
 * Measures the orders of a service: makes quotes, and has the loader sign and send the orders. The number of
 * quotes is estimated from the service's last run, which is kept with the service.
 *
 * @param partners partners of the site, or the number of its first partners
 * @param onGo called when the first order is about to be sent
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
