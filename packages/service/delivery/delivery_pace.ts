const TICK_MS = 20;

/**
 * Makes the bound on what delivery takes of a process that answers partners: while it is busy, so
 * many attempts a second begin; else as many as there are. Events lose nothing by it but time.
 *
 * @param isBusy whether partners need the process now; asked at each attempt and some times a second
 * @param perSecond attempts that begin while it is busy
 */
export function paceDelivery(isBusy: () => boolean, perSecond: number) {
  const waiting: (() => void)[] = [];
  let timer: ReturnType<typeof setInterval> | undefined;
  let isStopped = false;
  let credit = 0;

  function release(): void {
    credit = isBusy() && !isStopped ? credit + perSecond * TICK_MS / 1_000 : Infinity;
    for (; waiting.length > 0 && credit >= 1; credit--) waiting.shift()!();
    if (waiting.length > 0) return;
    clearInterval(timer);
    timer = undefined;
    credit = 0;
  }

  return {
    /** Resolves when the next attempt may begin; in the order of asking. */
    take() {
      if (waiting.length === 0 && (isStopped || !isBusy())) return Promise.resolve();
      timer ??= setInterval(release, TICK_MS);
      return new Promise<void>((resolve) => void waiting.push(resolve));
    },
    /** Lets all that wait begin, and everything after them. */
    stop() {
      isStopped = true;
      release();
    },
  };
}
