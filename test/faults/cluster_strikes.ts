import { readlinkSync, realpathSync } from "node:fs";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import process from "node:process";
import { openDatabase } from "@sabika/database";
import { type Cluster, type ClusterMember, readMembers } from "@sabika/deployment";
import { DATA_VERSION } from "@sabika/service/deployment";
import { findProgram } from "../../tools/programs/find_program.ts";
import { commandOf, listPids, signal } from "../../tools/programs/marked_processes.ts";
import { ownedFolder } from "../../tools/programs/postgresql_folders.ts";
import { mustRun } from "../../tools/programs/run_program.ts";
import { unprivilegedUser } from "../../tools/programs/unprivileged_user.ts";
import { openSmallDisk, type SmallDisk } from "../support/small_disk.ts";
import { temporaryFolder } from "../support/temporary_folder.ts";

/** What strikes can reach. */
export interface Struck {
  readonly cluster: Cluster;
  /** By which the kernel tells the members' packets apart. */
  readonly groups: readonly number[];
  /** On which the members' folders lie, as each machine has its own. */
  readonly disks: readonly SmallDisk[];
}

/** Ends a strike. */
export type Heal = () => Promise<unknown> | void;

/** Gives each member of a stack's cluster a small disk for all but its etcd. Only root can. */
export async function openDisks(dataFolder: string, members: number): Promise<SmallDisk[]> {
  const disks: SmallDisk[] = [];
  await mkdir(join(dataFolder, "cluster"));
  for (let number = 1; number <= members; number++) {
    const disk = (await openSmallDisk())!;
    disks.push(disk);
    const etcd = await ownedFolder(join(dataFolder, `etcd-${number}`), unprivilegedUser());
    await symlink(etcd, join(disk.folder, "etcd"));
    await symlink(disk.folder, join(dataFolder, "cluster", `member-${number}`));
  }
  // The stack accepts a folder that is not empty only if it has a file with its version.
  await writeFile(join(dataFolder, "version"), `${DATA_VERSION}\n`, { mode: 0o600 });
  return disks;
}

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

/** Leaves no room on the disk of a member's machine. Its log goes on in the segment that it has. */
export async function fillDisk({ cluster, disks }: Struck, member: ClusterMember): Promise<Heal> {
  const disk = disks[cluster.members.indexOf(member)]!;
  await disk.fill();
  return () => disk.empty();
}

/** Leaves no room on the disk of a member's machine, nor in its log. */
export async function fillLog(struck: Struck, member: ClusterMember): Promise<Heal> {
  const heal = await fillDisk(struck, member);
  const database = openDatabase(member.url, { maxConnections: 1, connectTimeoutSeconds: 2 });
  try {
    while (true) await database.sql`select pg_switch_wal(), pg_logical_emit_message(true, '', 'x')`;
  } catch {
    // PostgreSQL ends without a segment for its log.
  }
  await database.close();
  return heal;
}

/** Leaves no room on the disk of the synchronous standby. */
export async function fillStandby(struck: Struck): Promise<Heal> {
  const standby = (await readMembers(struck.cluster)).find(({ role }) => role === "sync_standby")!;
  return fillDisk(struck, struck.cluster.members.find(({ name }) => name === standby.name)!);
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
  const folder = realpathSync(dirname(dataFolder));
  return listPids().filter((pid) => {
    try {
      return readlinkSync(`/proc/${pid}/cwd`).startsWith(folder);
    } catch {
      return false;
    }
  });
}
