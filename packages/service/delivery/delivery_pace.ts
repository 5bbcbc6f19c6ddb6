const TICK_MS = 20;

/** The runtime's timers, or a test's. */
interface Ticks {
  setInterval(run: () => void, ms: number): unknown;
  clearInterval(timer: unknown): void;
}

const RUNTIME: Ticks = { setInterval, clearInterval: (timer) => clearInterval(timer as number) };

/**
 * Limits how much of a process that serves partners delivery may take: while the process is busy,
 * only `perSecond` attempts begin each second, otherwise any number. Events are only delayed by it.
 *
 * @param isBusy whether partners need the process now; called at each attempt and every 20 ms
 * @param perSecond attempts that may begin each second while the process is busy
 * @param ticks by default the runtime's
 */
export function paceDelivery(isBusy: () => boolean, perSecond: number, ticks = RUNTIME) {
  const waiting: (() => void)[] = [];
  let timer: unknown;
  let isStopped = false;
  let credit = 0;

  function release(): void {
    credit = isBusy() && !isStopped ? credit + perSecond * TICK_MS / 1_000 : Infinity;
    for (; waiting.length > 0 && credit >= 1; credit--) waiting.shift()!();
    if (waiting.length > 0) return;
    ticks.clearInterval(timer);
    timer = undefined;
    credit = 0;
  }

  return {
    /** Resolves when the next attempt may begin, in the order of the calls. */
    take() {
      if (waiting.length === 0 && (isStopped || !isBusy())) return Promise.resolve();
      timer ??= ticks.setInterval(release, TICK_MS);
      return new Promise<void>((resolve) => void waiting.push(resolve));
    },
    /** Lets all waiting attempts begin, and all later ones. */
    stop() {
      isStopped = true;
      release();
    },
  };
}
