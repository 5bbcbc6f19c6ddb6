import type { Sql } from "@sabika/database";
import { GOALS } from "../goals.ts";
import { interleave } from "../interleave.ts";
import type { Bench } from "../measure.ts";
import { judge, type Ratio } from "../ratio.ts";
import { mean, median } from "../statistics.ts";
import { processTime } from "../world/cpu_time.ts";
import { fillOutbox, readPending, setEndpoints, skipOutbox } from "../world/outbox.ts";
import type { RunningService, Site } from "../world/site.ts";
import type { Receiver } from "../world/start_receiver.ts";

const MANY = 50;
const FAST_MS = 20;
const SLOW_MS = 100;
/** The goals: events per second, and milliseconds of processor time per event. */
const PROMISED = { many: 1_000, slow: 150, cpuMs: 0.3 } as const;
/** An upper bound of deliveries per second, so that the backlog outlasts the measurement. */
const MOST_A_SECOND = 3_000;
/** The time until connections are open and deliveries in flight reach their limit. */
const RAMP_MS = 1_000;
const SAMPLE_MS = 250;

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** Measures the rate of delivery without other load, and whether its lag grows at 80 % of that rate. */
export async function measureDelivery(
  bench: Bench,
  site: Site,
  receiver: Receiver,
  delivery: RunningService,
): Promise<Ratio[]> {
  const { rounds, seconds, progress } = bench;
  const { sql } = site.database;
  const ids = site.partners.map(({ partnerId }) => partnerId);
  const url = `https://localhost:${receiver.port}/webhooks`;
  const cpuMs: number[] = [];

  const rate = (partners: number, delayMs: number, failEvery = 0) => async () => {
    await receiver.behave({ delayMs, failEvery });
    await setEndpoints(sql, url);
    await fillOutbox(
      sql,
      ids.slice(0, partners),
      Math.ceil(MOST_A_SECOND * (seconds + 2) / partners),
    );
    await pause(RAMP_MS);
    const before = { taken: await receiver.taken(), time: processTime(delivery.pid) };
    const started = performance.now();
    await pause(seconds * 1_000);
    const taken = await receiver.taken() - before.taken;
    const perSecond = taken * 1_000 / (performance.now() - started);
    if (partners === MANY) {
      cpuMs.push((processTime(delivery.pid) - before.time) / 1_000 / taken);
    }
    await skipOutbox(sql);
    return perSecond;
  };
  const found = await interleave(rounds, {
    many: rate(MANY, FAST_MS),
    slow: rate(1, SLOW_MS),
    healthy: rate(1, FAST_MS),
    failing: rate(1, FAST_MS, 100),
  }, (round, name, figure) => {
    progress.say(`deliveries, round ${round + 1}: ${name} ${figure.toFixed(0)} a second`);
  });
  progress.say(`deliveries: ${median(cpuMs).toFixed(2)} ms of processor an event`);
  const promised = (figure: number) => Array<number>(rounds).fill(figure);
  await receiver.behave({ delayMs: FAST_MS, failEvery: 0 });
  await setEndpoints(sql, url);
  const lags = await sampleLag(sql, ids.slice(0, MANY), 0.8 * median(found.many), 6 * seconds);
  progress.say(`deliveries at 80 %: ${lags.map((lag) => lag.toFixed(0)).join(" ")} events wait`);
  const third = Math.floor(lags.length / 3);
  return [
    judge(GOALS.deliveredByMany, found.many, promised(PROMISED.many)),
    judge(GOALS.deliveredBySlow, found.slow, promised(PROMISED.slow)),
    judge(GOALS.deliveryCpu, cpuMs, promised(PROMISED.cpuMs)),
    judge(GOALS.deliveredBesideFailures, found.failing, found.healthy),
    judge(GOALS.deliveryLag, [mean(lags.slice(-third))], [mean(lags.slice(third, 2 * third))]),
  ];
}

/** Writes events at a rate, and samples the number of waiting events several times per second. */
async function sampleLag(
  sql: Sql,
  partnerIds: readonly number[],
  perSecond: number,
  seconds: number,
): Promise<number[]> {
  const lags: number[] = [];
  const started = performance.now();
  let written = 0;
  for (let elapsed = 0; elapsed < seconds * 1_000; elapsed = performance.now() - started) {
    const each = Math.round((perSecond * elapsed / 1_000 - written) / partnerIds.length);
    if (each > 0) await fillOutbox(sql, partnerIds, each);
    written += each * partnerIds.length;
    lags.push(await readPending(sql));
    await pause(SAMPLE_MS);
  }
  await skipOutbox(sql);
  return lags;
}
