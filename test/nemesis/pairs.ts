import { setTimeout as pause } from "node:timers/promises";
import { crash } from "../faults/postgresql_processes.ts";
import { testRecord } from "../secret_search/record.ts";
import {
  holdReplay,
  promote,
  renewStandby,
  runStandby,
  waitForStandby,
} from "../support/standby.ts";
import type { RunningPostgreSQL } from "../../tools/programs/run_postgresql.ts";
import type { Served } from "./places.ts";

/** Two servers of a database, which take turns as primary and synchronous standby. */
export interface Pair extends Required<Served> {
  /**
   * Kills the primary once its standby has caught up, and promotes the standby `afterMs` later. The lost
   * server then becomes the new standby in the background.
   */
  promote(afterMs: number): Promise<void>;
  /** Lets the standby replay nothing, so that it lags behind what it has on its disk; ended by the function. */
  lag(): Promise<() => Promise<void>>;
  /** Prevents new standbys, and waits for one that is being made. */
  settle(): Promise<void>;
  /** Stops the second server. */
  close(): Promise<void>;
}

/** The pause between attempts, which other faults may make fail. */
const AGAIN_MS = 500;

/**
 * Gives a server a standby.
 *
 * @param first the server, which the caller restarts when it ends, and stops
 */
export async function openPair(
  first: RunningPostgreSQL,
  settings: Readonly<Record<string, string>>,
): Promise<Pair> {
  const follower = await runStandby(first, { settings });
  const { postgresql: second } = follower;
  let isOver = false;
  const untilDone = async (body: () => Promise<void>) => {
    for (; !isOver; await pause(AGAIN_MS)) {
      if (await body().then(() => true, () => false)) return;
    }
  };
  second.onEnd(() => void untilDone(() => second.restart()));
  let [primary, standby] = [first, second];
  let renewed = Promise.resolve();
  const hosts = [first, second].map(({ socketFolder }) => encodeURIComponent(socketFolder));
  return {
    ports: [first.port, second.port],
    get postgresql() {
      return primary;
    },
    url: `postgres://sabika@/postgres?host=${hosts.join()}&port=${first.port},${second.port}` +
      "&target_session_attrs=read-write",
    async promote(afterMs) {
      await renewed;
      await waitForStandby(primary);
      await crash(primary);
      await pause(afterMs);
      await promote(standby);
      [primary, standby] = [standby, primary];
      renewed = untilDone(() => renewStandby(standby, primary));
    },
    async lag() {
      await renewed;
      return await holdReplay(standby);
    },
    settle() {
      isOver = true;
      return renewed;
    },
    async close() {
      testRecord.dataFolder(second.dataFolder);
      await follower.close();
    },
  };
}
