import { readlinkSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import process from "node:process";
import type { Cluster, ClusterMember } from "@sabika/deployment";
import { findProgram } from "../../tools/programs/find_program.ts";
import { commandOf, listPids, signal } from "../../tools/programs/marked_processes.ts";
import { mustRun } from "../../tools/programs/run_program.ts";
import { temporaryFolder } from "../support/temporary_folder.ts";

/** What strikes can reach. */
export interface Struck {
  readonly cluster: Cluster;
  /** By which the kernel tells the members' packets apart. */
  readonly groups: readonly number[];
}

/** Ends a strike. */
export type Heal = () => Promise<unknown> | void;

/** Kills a member's PostgreSQL and its Patroni, which the stack starts again, as systemd would. */
export function killMember(_: Struck, member: ClusterMember): Heal {
  for (const pid of processesOf(member)) if (!isEtcd(pid)) signal(pid, "SIGKILL");
  return () => {};
}

/** Stops all of a member's machine, which goes on later as if nothing had happened. */
export function freeze(_: Struck, member: ClusterMember): Heal {
  const pids = processesOf(member);
  for (const pid of pids) signal(pid, "SIGSTOP");
  return () => pids.forEach((pid) => signal(pid, "SIGCONT"));
}

/**
 * Lets no packet leave a member's machine or reach its ports, its etcd's included. The kernel knows what a
 * member sends by the group that it runs as.
 */
export async function cutOff(
  { cluster, groups }: Struck,
  member: ClusterMember,
): Promise<Heal> {
  const { command, env } = await findProgram("nft");
  const nft = (...args: string[]) => mustRun(command, args, { env: { ...process.env, ...env } });
  const ports = [member.postgresql, member.rest, member.etcd, member.etcdPeer].join();
  const table = `sabika_failover_${process.pid}`;
  const file = join(temporaryFolder(), "cut.nft");
  await writeFile(
    file,
    `table inet ${table} {
      chain sent { type filter hook output priority 0;
        meta skgid ${groups[cluster.members.indexOf(member)]} drop; }
      chain received { type filter hook input priority 0; tcp dport { ${ports} } drop; }
    }`,
  );
  await nft("-f", file);
  return () => nft("delete", "table", "inet", table);
}

/** Kills etcd's leader. */
export async function killEtcdLeader({ cluster: { members, etcd } }: Struck): Promise<Heal> {
  for (const [index, { etcd: port }] of members.entries()) {
    const answer = await fetch(`http://127.0.0.1:${port}/v3/maintenance/status`, {
      method: "POST",
      body: "{}",
    });
    const { header, leader } = await answer.json() as {
      header: { member_id: string };
      leader: string;
    };
    if (header.member_id !== leader) continue;
    await etcd.kill(`etcd-${index + 1}`);
    return () => etcd.start(`etcd-${index + 1}`);
  }
  throw new Error("etcd has no leader");
}

/** Kills all of etcd. */
export async function killEtcd({ cluster: { members, etcd } }: Struck): Promise<Heal> {
  const names = members.map((_, index) => `etcd-${index + 1}`);
  await Promise.all(names.map((name) => etcd.kill(name)));
  return () => Promise.all(names.map((name) => etcd.start(name)));
}

const isEtcd = (pid: number) => commandOf(pid).includes("/etcd ");

/** Returns all that runs in a member's folder (Linux: reads `/proc`). */
function processesOf({ dataFolder }: ClusterMember): number[] {
  return listPids().filter((pid) => {
    try {
      return readlinkSync(`/proc/${pid}/cwd`).startsWith(dirname(dataFolder));
    } catch {
      return false;
    }
  });
}
