import { setTimeout as pause } from "node:timers/promises";
import { chanceOf } from "../support/history/chance.ts";
import { CLOCK_FAULTS } from "./faults/clocks.ts";
import { CLUSTER_FAULTS, NEEDING_ROOT } from "./faults/cluster.ts";
import { DATABASE_FAULTS, DISK_FAULTS } from "./faults/database.ts";
import type { Fault, Heal } from "./faults/fault.ts";
import { OF_CELLS } from "./faults/in_places.ts";
import { LINK_FAULTS } from "./faults/links.ts";
import { MOVE_FAULTS } from "./faults/moves.ts";
import { PROCESS_FAULTS } from "./faults/processes.ts";
import { PROMOTION_FAULTS } from "./faults/promotions.ts";
import { RELEASE_FAULTS } from "./faults/releases.ts";
import { SURROUNDING_FAULTS } from "./faults/surroundings.ts";
import { probersOf, untilServing } from "./recovery.ts";
import type { Strike } from "./schedule.ts";
import type { StackWorld } from "./stack_world.ts";

/** A strike that is over. */
export interface StrikeResult {
  readonly strike: Strike;
  /** Time from the end of the fault until the stack served again; undefined: it did not in time. */
  readonly recoveredMs: number | undefined;
  /** Time from the end of the fault until all members of the cluster ran, if the stack has one. */
  readonly wholeMs: number | undefined;
  /** Why the strike did not happen as planned; empty if it did. */
  readonly trouble: string;
  /** When the strike began, and when waiting for recovery ended; epoch milliseconds. */
  readonly beganMs: number;
  readonly endedMs: number;
  /** The only partners that may have noticed the fault; undefined: all may have. */
  readonly concerned: ReadonlySet<number> | undefined;
}

const FAULTS: Readonly<Record<string, Fault>> = {
  ...PROCESS_FAULTS,
  ...DATABASE_FAULTS,
  ...DISK_FAULTS,
  ...CLOCK_FAULTS,
  ...LINK_FAULTS,
  ...SURROUNDING_FAULTS,
  ...MOVE_FAULTS,
  ...PROMOTION_FAULTS,
  ...RELEASE_FAULTS,
  ...CLUSTER_FAULTS,
};

type Means = Pick<StackWorld, "disks" | "clocks" | "systemCalls" | "cells" | "cluster" | "build">;

/** Kinds of faults that are left out, and the reason. */
interface LeftOut {
  readonly kinds: Pick<RegExp, "test">;
  readonly why: string;
}

const OF_CLUSTERS = { test: (kind: string) => kind in CLUSTER_FAULTS };

/** Returns the kinds of faults that are impossible with these means, and the reasons. */
export function whyLeftOut(
  { disks, clocks, systemCalls, cells, cluster, build }: Means,
): LeftOut[] {
  const reasons: [isLeftOut: boolean, kinds: LeftOut["kinds"], why: string][] = [
    [!disks, /^full disk/, "full disk: no root to mount a small one"],
    [!clocks, /^clock/, "clocks: there is no libfaketime"],
    [!systemCalls, /^(slow|failing) disk/, "slow and failing disks: no strace, or no tracing"],
    [!build, /^wrong release/, "wrong releases: no build to spoil (--built)"],
    [cells.length === 0, OF_CELLS, "faults of cells: there are none"],
    [cells.length > 0, /^(lock accounts|deadlocks)$/, "locks in control: no partner lives there"],
    [!cluster, OF_CLUSTERS, "faults of a cluster: there is none"],
    [!!cluster, /^full disks?( of data)?$/, "a full disk of data: each member has its own"],
    [!cluster && cells.length === 0, /^lagging/, "lagging standbys: there are none"],
    [cluster?.groups.length === 0, NEEDING_ROOT, "machines cut off: no root for the packet filter"],
  ];
  return reasons.filter(([isLeftOut]) => isLeftOut).map(([, kinds, why]) => ({ kinds, why }));
}

/** Returns the kinds of faults that are possible with these means, in a fixed order. */
export function kindsIn(means: Means): string[] {
  const leftOut = whyLeftOut(means);
  return Object.keys(FAULTS).filter((kind) => !leftOut.some(({ kinds }) => kinds.test(kind)));
}

/** All kinds except an operator's acts and losses of machines, which take long and need a stack that serves. */
export const PAIRABLE: ReadonlySet<string> = new Set(
  Object.keys(FAULTS).filter((kind) =>
    !/rolling|rotation|exhausted|migration|promotion|wrong release/.test(kind) &&
    !OF_CLUSTERS.test(kind)
  ),
);

/** How long to wait for recovery before the run is aborted. */
const PATIENCE_MS = 120_000;
/** If a fault has not begun within this time, the other one prevents it and is ended first. */
const BEGINNING_MS = 5_000;
/** How long to try to end a fault, which may fail until the other fault has ended. */
const HEALING_MS = 60_000;

/** Begins one fault or two at once, ends them, and waits until the stack serves again. */
export async function runStrike(
  world: StackWorld,
  strike: Strike,
  signal: AbortSignal,
): Promise<StrikeResult> {
  const beganMs = Date.now();
  const troubles: string[] = [];
  const concerned: (ReadonlySet<number> | undefined)[] = [];
  const pauseUnless = (ms: number): Promise<void> =>
    pause(ms, undefined, { signal }).catch(() => {});
  const begun = strike.names.map(async (name, index): Promise<Heal | void> => {
    try {
      const concerns = (partners: Iterable<number>) => void (concerned[index] = new Set(partners));
      return await FAULTS[name]!(world, { ...chanceOf(strike.seed + index), concerns });
    } catch (error) {
      troubles.push(`${name}: ${firstLine(error)}`);
    }
  });
  const isLasting = await Promise.race([
    Promise.all(begun).then((heals) => heals.some((heal) => heal !== undefined)),
    pauseUnless(BEGINNING_MS).then(() => begun.length > 1),
  ]);
  if (isLasting) await pauseUnless(strike.holdMs);
  // Both at once, because one fault may prevent the other from ending.
  await Promise.all(begun.map(async (heal) => {
    const trouble = await healed(await heal);
    if (trouble !== undefined) troubles.push(trouble);
  }));
  const giveUp = (why: string) => void troubles.push(why);
  const waiting = { signal, patienceMs: PATIENCE_MS, giveUp };
  const healedMs = Date.now();
  const servedMs = await untilServing(world, probersOf(world), waiting);
  // A cluster survives the loss of one machine, so the next fault finds all there.
  const isWhole = await world.cluster?.untilWhole().then(
    () => true,
    () => giveUp("members are away"),
  );
  const wholeMs = isWhole ? Date.now() - healedMs : undefined;
  const isOfAll = strike.names.some((_, index) => concerned[index] === undefined);
  return {
    strike,
    recoveredMs: world.cluster && !isWhole ? undefined : servedMs,
    wholeMs,
    trouble: troubles.join("; "),
    beganMs,
    endedMs: Date.now(),
    concerned: isOfAll ? undefined : new Set(concerned.flatMap((partners) => [...partners!])),
  };
}

/** @returns why the fault could not be ended, or undefined */
async function healed(heal: Heal | void): Promise<string | undefined> {
  if (heal === undefined) return undefined;
  for (const endMs = Date.now() + HEALING_MS;; await pause(500)) {
    try {
      return void await heal();
    } catch (error) {
      if (Date.now() > endMs) return firstLine(error);
    }
  }
}

const firstLine = (error: unknown) => (error as Error).message.split("\n")[0]!;

/** Formats a strike and its result as a line. */
export function describeStrike(
  { strike, recoveredMs, wholeMs, trouble }: StrikeResult,
): string {
  const { names, holdMs, number } = strike;
  const recovered = recoveredMs === undefined ? "NO RECOVERY" : `served after ${recoveredMs} ms`;
  const whole = wholeMs === undefined ? "" : `, whole after ${wholeMs} ms`;
  const lasting = `${number}: ${names.join(" + ")}, ${holdMs} ms; ${recovered}${whole}`;
  return trouble === "" ? lasting : `${lasting} (${trouble})`;
}
