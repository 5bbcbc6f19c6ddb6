import { setTimeout as pause } from "node:timers/promises";
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

const MANY_PARTNERS = 50;
const FAST_ANSWER_MS = 20;
const SLOW_ANSWER_MS = 100;
/** What the figures are divided by: events per second, and milliseconds of processor time per event. */
const TARGETS = { manyPerSecond: 1_000, slowPerSecond: 150, cpuMs: 0.3 } as const;
/** More deliveries per second than a service makes, so that the backlog outlasts the measurement. */
const MAX_DELIVERIES_PER_SECOND = 3_000;
/** The time until connections are open and deliveries in flight reach their limit. */
const RAMP_MS = 1_000;
const SAMPLE_MS = 250;

/**
 * Measures how fast events are delivered without other load: to 50 partners, to one slow endpoint, and to
 * an endpoint that sometimes fails; and whether events pile up when they arrive at 80 % of the rate for 50.
 *
 * @param site has at least 50 partners, whose endpoints and outboxes are changed
 * @param delivery the only service of the site that delivers; its processor time is read from Linux's /proc
 * @returns the ratios of the five goals of delivery
 */
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

  const measureRate = (partners: number, delayMs: number, failEvery = 0) => async () => {
    await receiver.behave({ delayMs, failEvery });
    await setEndpoints(sql, url);
    await fillOutbox(
      sql,
      ids.slice(0, partners),
      // For the ramp, the measurement and a second to spare.
      Math.ceil(MAX_DELIVERIES_PER_SECOND * (seconds + 2) / partners),
    );
    await pause(RAMP_MS);
    const before = { taken: await receiver.taken(), time: processTime(delivery.pid) };
    const started = performance.now();
    await pause(seconds * 1_000);
    const taken = await receiver.taken() - before.taken;
    const perSecond = taken * 1_000 / (performance.now() - started);
    if (partners === MANY_PARTNERS) {
      cpuMs.push((processTime(delivery.pid) - before.time) / 1_000 / taken);
    }
    await skipOutbox(sql);
    return perSecond;
  };
  const rates = await interleave(rounds, {
    many: measureRate(MANY_PARTNERS, FAST_ANSWER_MS),
    slow: measureRate(1, SLOW_ANSWER_MS),
    healthy: measureRate(1, FAST_ANSWER_MS),
    failing: measureRate(1, FAST_ANSWER_MS, 100),
  }, (round, name, figure) => {
    progress.say(`deliveries, round ${round + 1}: ${name} ${figure.toFixed(0)} a second`);
  });
  progress.say(`deliveries: ${median(cpuMs).toFixed(2)} ms of processor an event`);
  const repeat = (figure: number) => Array<number>(rounds).fill(figure);
  await receiver.behave({ delayMs: FAST_ANSWER_MS, failEvery: 0 });
  await setEndpoints(sql, url);
  const pending = await samplePending(
    sql,
    ids.slice(0, MANY_PARTNERS),
    0.8 * median(rates.many),
    6 * seconds,
  );
  progress.say(`deliveries at 80 %: ${pending.join(" ")} events wait`);
  const thirdLength = Math.floor(pending.length / 3);
  return [
    judge(GOALS.deliveredByMany, rates.many, repeat(TARGETS.manyPerSecond)),
    judge(GOALS.deliveredBySlow, rates.slow, repeat(TARGETS.slowPerSecond)),
    judge(GOALS.deliveryCpu, cpuMs, repeat(TARGETS.cpuMs)),
    judge(GOALS.deliveredBesideFailures, rates.failing, rates.healthy),
    judge(
      GOALS.deliveryLag,
      [mean(pending.slice(-thirdLength))],
      [mean(pending.slice(thirdLength, 2 * thirdLength))],
    ),
  ];
}

/** Writes events at a rate, and samples the number of waiting events several times per second. */
async function samplePending(
  sql: Sql,
  partnerIds: readonly number[],
  perSecond: number,
  seconds: number,
): Promise<number[]> {
  const pending: number[] = [];
  const started = performance.now();
  let written = 0;
  for (let elapsed = 0; elapsed < seconds * 1_000; elapsed = performance.now() - started) {
    const perPartner = Math.round((perSecond * elapsed / 1_000 - written) / partnerIds.length);
    if (perPartner > 0) await fillOutbox(sql, partnerIds, perPartner);
    written += perPartner * partnerIds.length;
    pending.push(await readPending(sql));
    await pause(SAMPLE_MS);
  }
  await skipOutbox(sql);
  return pending;
}
