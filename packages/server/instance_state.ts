import type { DatabaseState } from "@sabika/database";
import type { Register } from "@sabika/service/partners";
import type { PriceSource } from "@sabika/service/prices";
import { renewRegister } from "./door/fresh_register.ts";
import type { Log } from "./logging/log.ts";

/** How far this instance's clock may be from the database's (Decision D12). */
const CLOCK_OFFSET_LIMIT_MS = 1_000;

/** After a failed write health is bad until a write works, or this time has passed without writes. */
const WRITES_DOUBTED_MS = 10_000;

/** Whether an instance may serve: what its listeners, /health and its metrics report. */
export interface InstanceState {
  /** Records the database's state, and logs what has changed. */
  update(state: DatabaseState): void;
  /** Reports from now on that no more requests should be sent here. */
  drain(): void;
  /**
   * Records whether the database carried out a write of a partner. While writes fail, reads may still
   * work, for example with a full disk.
   */
  noteWrite(worked: boolean): void;
  /** This instance's clock minus the database's, in milliseconds. */
  clockOffsetMs(): number;
  /** The database's time, epoch milliseconds: last measured, and continued by the monotonic clock. */
  databaseNow(): number;
  isDraining(): boolean;
  /** False while this instance's clock cannot be relied on. */
  isServing(): boolean;
  /** Whether new requests should be sent here. */
  isReady(): Promise<boolean>;
  /** As `isReady`, but from what is known, without asking the database. */
  wasReady(): boolean;
  /** Whether database and price source are available. */
  isHealthy(): Promise<boolean>;
}

/** Creates the state of an instance whose clock is assumed to be right until it is measured. */
export function createInstanceState(
  { register, prices, now, monotonic, log, clockOffsetLimitMs = CLOCK_OFFSET_LIMIT_MS }: {
    readonly register: Pick<Register, "isFresh" | "refresh">;
    readonly prices: PriceSource;
    readonly now: () => number;
    /** Milliseconds of a monotonic clock. */
    readonly monotonic: () => number;
    readonly log: Log;
    /** 1,000 if undefined. */
    readonly clockOffsetLimitMs: number | undefined;
  },
): InstanceState {
  let isClockOff = false;
  let isDraining = false;
  let writesFailedMs = -Infinity;
  const isWriting = () => now() - writesFailedMs >= WRITES_DOUBTED_MS;
  // The monotonic clock shows when this clock is set between two measurements.
  const aheadMs = () => now() - monotonic();
  let database: DatabaseState = { offsetMs: 0, aheadMs: aheadMs(), acceptsWrites: true };
  const offsetMs = () => database.offsetMs + aheadMs() - database.aheadMs;
  const isServing = () => Math.abs(offsetMs()) <= clockOffsetLimitMs;

  return {
    update(state) {
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
    noteWrite(worked) {
      const didWork = isWriting();
      writesFailedMs = worked ? -Infinity : now();
      if (worked && !didWork) log("warning", "writes_work_again");
      if (!worked && didWork) log("error", "writes_fail");
    },
    clockOffsetMs: offsetMs,
    databaseNow: () => Math.round(now() - offsetMs()),
    isDraining: () => isDraining,
    isServing,
    isReady: async () => !isDraining && isServing() && await renewRegister(register, now),
    wasReady: () => !isDraining && isServing() && register.isFresh(now()),
    isHealthy: async () =>
      isServing() && database.acceptsWrites && isWriting() && prices.latest(now()).ok &&
      await renewRegister(register, now),
  };
}
