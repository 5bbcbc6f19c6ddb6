import { readFileSync } from "node:fs";
import { join } from "node:path";
import { openDatabase } from "@sabika/database";
import type { Cluster, ClusterMember } from "@sabika/deployment";
import {
  MEMBERS_GROUPS,
  readWhole,
  type Struck,
  type WholeCluster,
} from "../faults/cluster_strikes.ts";
import { startJudge } from "../faults/primary_judge.ts";
import { type Violation, withoutCalls } from "../support/history/checker.ts";
import type { SmallDisk } from "../support/small_disk.ts";
import { holdReplay } from "../support/standby.ts";
import { until } from "../support/until.ts";
import type { Place, Served, Server } from "./places.ts";

/** The stack's database when Patroni fails it over (Decision D115), and who was what when it was last whole. */
export interface WatchedCluster extends Struck, Served {
  readonly whole: WholeCluster;
  /**
   * Waits until all members run again.
   *
   * @throws Error if it takes longer than two minutes
   */
  untilWhole(): Promise<void>;
  /** The databases of the standbys, when it was last whole. */
  readonly standbys: readonly Pick<Place, "name" | "database">[];
  /** Ends the writes of the judge, and returns a violation of I6 where two took writes at once, or lost one. */
  judge(): Promise<Violation[]>;
  end(): Promise<void>;
}

/** How long a machine that comes back may take to be a standby again: it may have to copy all files. */
const WHOLE_MS = 120_000;
const EVERY_MS = 200;

/** Watches a cluster that is whole. */
export async function watchCluster(
  cluster: Cluster,
  disks: readonly SmallDisk[],
): Promise<WatchedCluster> {
  const judge = await startJudge(cluster.url, cluster.members);
  const databases = new Map(cluster.members.map((member) => {
    const { socketUrl } = serverOf(member);
    return [member, openDatabase(socketUrl, { maxConnections: 1 })];
  }));
  let whole: WholeCluster | undefined;
  const untilWhole = async () => {
    const isWhole = async () => {
      const found = await readWhole(cluster);
      whole = found ?? whole;
      return found !== undefined;
    };
    await until(isWhole, WHOLE_MS, "three members run", EVERY_MS);
  };
  await untilWhole();
  return {
    cluster,
    groups: MEMBERS_GROUPS,
    disks,
    get whole() {
      return whole!;
    },
    url: cluster.url,
    ports: cluster.members.map(({ postgresql }) => postgresql),
    get postgresql() {
      return serverOf(whole!.primary);
    },
    untilWhole,
    lag: () => holdReplay(serverOf(whole!.standbys[0])),
    get standbys() {
      return whole!.standbys.map((member) => ({
        name: member.name,
        database: databases.get(member)!,
      }));
    },
    async judge() {
      return (await judge.verdict()).map((what) => withoutCalls("I6", what));
    },
    async end() {
      await judge.verdict().catch(() => {});
      for (const database of databases.values()) await database.close();
    },
  };
}

/** A member's own PostgreSQL, whatever its role. */
function serverOf({ url, dataFolder }: ClusterMember): Server {
  return {
    socketUrl: url.replace(/\?.*$/, ""),
    get pid() {
      return Number(readFileSync(join(dataFolder, "postmaster.pid"), "utf8").split("\n")[0]);
    },
  };
}
