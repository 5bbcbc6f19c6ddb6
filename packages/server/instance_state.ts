import type { DatabaseState } from "@sabika/database";
import type { Register } from "@sabika/service/partners";
import type { PriceSource } from "@sabika/service/prices";
import { renewRegister } from "./door/fresh_register.ts";
import type { Log } from "./logging/log.ts";

/** How far this instance's clock may be from the database's (Decision D12). */
const CLOCK_OFFSET_LIMIT_MS = 1_000;

/** After a write that failed health is bad until one works, or this time has passed without any. */
const WRITES_DOUBTED_MS = 10_000;

/** Whether an instance may serve: what its listeners, /health and its metrics report. */
export type InstanceState = ReturnType<typeof createInstanceState>;

export function createInstanceState(
  { register, prices, now, monotonic, log, clockOffsetLimitMs = CLOCK_OFFSET_LIMIT_MS }: {
    readonly register: Pick<Register, "isFresh" | "refresh">;
    readonly prices: PriceSource;
    readonly now: () => number;
    /** Milliseconds of a clock that nobody sets. */
    readonly monotonic: () => number;
    readonly log: Log;
    readonly clockOffsetLimitMs: number | undefined;
  },
) {
  let isClockOff = false;
  let isDraining = false;
  let writesFailedMs = -Infinity;
  const isWriting = () => now() - writesFailedMs >= WRITES_DOUBTED_MS;
  // A clock that is set between two measurements is noticed by the one that nobody sets.
  const aheadMs = () => now() - monotonic();
  let database: DatabaseState = { offsetMs: 0, aheadMs: aheadMs(), acceptsWrites: true };
  const offsetMs = () => database.offsetMs + aheadMs() - database.aheadMs;
  const isServing = () => Math.abs(offsetMs()) <= clockOffsetLimitMs;

  return {
    /** Takes note of the database's state, and logs what has changed. */
    update(state: DatabaseState) {
      const acceptedWrites = database.acceptsWrites;
      database = state;
      if (isServing() === isClockOff) {
        isClockOff = !isClockOff;
        log("warning", isClockOff ? "clock_off" : "clock_good_again");
      }
      if (state.acceptsWrites !== acceptedWrites) {
        log("warning", acceptedWrites ? "database_read_only" : "database_takes_writes_again");
      }
    },
    drain: () => void (isDraining = true),
    /**
     * Takes note of whether the database carried out a write of a partner. While writes fail, reads
     * may go on: a full disk, a library that was replaced.
     */
    noteWrite(worked: boolean) {
      const didWork = isWriting();
      writesFailedMs = worked ? -Infinity : now();
      if (worked && !didWork) log("warning", "writes_work_again");
      if (!worked && didWork) log("error", "writes_fail");
    },
    /** This instance's clock minus the database's. */
    clockOffsetMs: offsetMs,
    /** The database's time as it was measured last and has gone on since, however this clock is set. */
    databaseNow: () => Math.round(now() - offsetMs()),
    isDraining: () => isDraining,
    /** False while this instance's clock cannot be relied on. */
    isServing,
    /** Whether new requests are to be sent here. */
    isReady: async () => !isDraining && isServing() && await renewRegister(register, now),
    /** The same by what is known already, without asking the database. */
    wasReady: () => !isDraining && isServing() && register.isFresh(now()),
    /** Whether database and price source are available. */
    isHealthy: async () =>
      isServing() && database.acceptsWrites && isWriting() && prices.latest(now()).ok &&
      await renewRegister(register, now),
  };
}
