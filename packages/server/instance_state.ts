import type { DatabaseState } from "@sabika/database";
import type { ControlAway, Register } from "@sabika/service/partners";
import { MAIN_CELL } from "@sabika/service/cells";
import type { PriceSource } from "@sabika/service/prices";
import { renewRegister } from "./door/fresh_register.ts";
import type { Log } from "./logging/log.ts";
import { createWriteShares, type FailedShare } from "./write_shares.ts";

/** How far this instance's clock may be from the database's (Decision D12). */
const CLOCK_OFFSET_LIMIT_MS = 1_000;

/** Whether an instance may serve: what its listeners, /health and its metrics report. */
export interface InstanceState {
  /** Records the database's state, and logs what has changed. */
  update(state: DatabaseState): void;
  /** Reports from now on that no more requests should be sent here. */
  drain(): void;
  /**
   * Records whether a cell carried out a partner's write, by the pattern of its path. While writes fail, reads
   * may still work, for example with a full disk.
   */
  noteWrite(write: { cellId: string; route: string; worked: boolean }): void;
  /** The shares of writes that fail too often now. */
  failingWrites(): readonly FailedShare[];
  /** The share of each kind of write that failed. */
  failedShares(): readonly FailedShare[];
  /** This instance's clock minus the database's, in milliseconds. */
  clockOffsetMs(): number;
  /** The service's time by the database, epoch milliseconds: last measured, and continued by the monotonic clock. */
  databaseNow(): number;
  isDraining(): boolean;
  /** Undefined while control answers. */
  controlAway(): ControlAway | undefined;
  /** False while this instance's clock cannot be relied on. */
  isServing(): boolean;
  /** Whether new requests should be sent here. */
  isReady(): Promise<boolean>;
  /** As `isReady`, but from what is known, without asking the database. */
  wasReady(): boolean;
  /**
   * Whether database, price source and the partner's cell are available, and the cell carries out its writes.
   *
   * @param cellId undefined: control's own
   */
  isHealthy(cellId?: string): Promise<boolean>;
}

/** Creates the state of an instance whose clock is assumed to be right until it is measured. */
export function createInstanceState(
  {
    register,
    prices,
    now,
    realNow = now,
    monotonic,
    log,
    isUsable,
    otherCells = [],
    clockOffsetLimitMs = CLOCK_OFFSET_LIMIT_MS,
  }: {
    readonly register: Pick<Register, "away" | "isFresh" | "refresh">;
    readonly prices: PriceSource;
    readonly now: () => number;
    /** What the database's clock is compared with; `now` if left out. */
    readonly realNow?: () => number;
    /** Milliseconds of a monotonic clock. */
    readonly monotonic: () => number;
    readonly log: Log;
    /** Whether a cell can be used now. */
    readonly isUsable: (cellId: string) => boolean;
    /** The cells beside control's own; none if left out. */
    readonly otherCells?: readonly string[];
    /** 1,000 if undefined. */
    readonly clockOffsetLimitMs: number | undefined;
  },
): InstanceState {
  let isClockOff = false;
  let isDraining = false;
  const writes = createWriteShares(monotonic);
  /** The kinds of writes that failed at the last look, by cell. */
  let failed = new Set<string>();
  // The monotonic clock shows when this clock is set between two measurements.
  const aheadMs = () => realNow() - monotonic();
  let database: DatabaseState = { offsetMs: 0, aheadMs: aheadMs(), acceptsWrites: true };
  const offsetMs = () => database.offsetMs + aheadMs() - database.aheadMs;
  /** A cell whose partners go on without control; undefined, which is control's own, if there is none. */
  const lastingCell = () => otherCells.find(isUsable);
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
    noteWrite(write) {
      writes.note(write);
      // What fails is known when something failed, or failed before.
      if (write.worked && failed.size === 0) return;
      const failing = new Set(
        writes.failing().map(({ cellId, kind }) => `${kind} in cell ${cellId}`),
      );
      for (const reason of failing) {
        if (!failed.has(reason)) log("error", "writes_fail", { reason });
      }
      for (const reason of failed) {
        if (!failing.has(reason)) log("warning", "writes_work_again", { reason });
      }
      failed = failing;
    },
    failingWrites: writes.failing,
    failedShares: writes.shares,
    clockOffsetMs: offsetMs,
    databaseNow: () => Math.round(now() - offsetMs()),
    isDraining: () => isDraining,
    controlAway: register.away,
    isServing,
    isReady: async () =>
      !isDraining && isServing() && await renewRegister(register, now, lastingCell()),
    wasReady: () => !isDraining && isServing() && register.isFresh(now(), lastingCell()),
    isHealthy: async (cellId = MAIN_CELL) =>
      isServing() && database.acceptsWrites && isUsable(cellId) && prices.latest(now()).ok &&
      !writes.failing().some((share) => share.cellId === cellId) &&
      await renewRegister(register, now, cellId),
  };
}
