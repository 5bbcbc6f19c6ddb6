import { setTimeout as pause } from "node:timers/promises";
import { CLUSTER_STRIKES, type ClusterStrike } from "../../faults/cluster_strikes.ts";
import type { Fault } from "./fault.ts";

/** The longest time that a fault lasts which ends only by itself, so that the lock of a lost primary runs out. */
const LONGEST_MS = 30_000;

const faultOf =
  ({ to, begin, lastsMs = LONGEST_MS }: ClusterStrike): Fault => async (world, chance) => {
    const { whole: { primary, standbys } } = world.cluster!;
    const heal = await begin(world.cluster!, to === "standby" ? chance.pick(standbys) : primary);
    if (!heal) return;
    await pause(chance.below(lastsMs));
    return async () => await heal();
  };

/** Losses of the machines of a database that Patroni fails over, and of etcd. */
export const CLUSTER_FAULTS: Readonly<Record<string, Fault>> = Object.fromEntries(
  CLUSTER_STRIKES.map((strike) => [strike.name, faultOf(strike)]),
);

/** Matches those that need root. */
export const NEEDING_ROOT = {
  test: (name: string) =>
    CLUSTER_STRIKES.some((strike) => strike.name === name && strike.needsRoot),
};
