import type { VirtualClock } from "./virtual_clock.ts";

/** What is given to a process and answers it. */
type Given = Readonly<Record<string, (...of: never[]) => unknown>>;

/** A process on a virtual clock, that can be stopped (SIGSTOP), made to go on, and killed. */
export function simulatedProcess(clock: VirtualClock) {
  let halted: Promise<void> | undefined;
  let goOn = () => {};
  let isKilled = false;

  function stop(): void {
    halted = new Promise((resolve) => goOn = resolve);
  }

  /** Whatever comes while it is stopped comes when it goes on; to one that was killed, never. */
  async function here(): Promise<void> {
    while (halted !== undefined) await halted;
  }

  return {
    stop,
    goOn() {
      halted = undefined;
      goOn();
    },
    /** For good: what it began it does not end. */
    kill() {
      isKilled = true;
      stop();
    },
    isKilled: () => isKilled,
    /** The clock's timers as the process hears them. */
    timers: {
      setTimeout: (run: () => void, ms: number): unknown =>
        clock.timers.setTimeout(() => void here().then(run), ms),
      clearTimeout: clock.timers.clearTimeout,
    },
    /** Wraps functions of the outside so that their answers arrive in this process. */
    inside: <Outside extends object>(outside: Outside): Outside =>
      Object.fromEntries(
        Object.entries(outside as Given).map(([name, call]) => [
          name,
          (...parameters: never[]) => {
            const answer = call(...parameters);
            if (!(answer instanceof Promise)) return answer;
            return answer.then(
              (value) => here().then(() => value),
              (error) => here().then(() => Promise.reject(error)),
            );
          },
        ]),
      ) as Outside,
  };
}
