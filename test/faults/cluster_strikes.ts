import { readlinkSync, realpathSync } from "node:fs";
import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import process from "node:process";
import { parse } from "yaml";
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

/** The groups as which the members run, one each; none without root, who alone may use the packet filter. */
export const MEMBERS_GROUPS: readonly number[] = process.getuid?.() === 0
  ? [60_001, 60_002, 60_003]
  : [];

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

/** What happens to a cluster. */
export interface ClusterStrike {
  /** A sentence, without its full stop. */
  readonly name: string;
  /** Whose machine it happens to; the primary's by default. */
  readonly to?: "standby" | "synchronous standby";
  /** @returns a function that ends it; nothing if it ends by itself */
  readonly begin: (struck: Struck, member: ClusterMember) => Promise<Heal | void> | Heal | void;
  /** How long it may last, in milliseconds, when it is to last. */
  readonly lastsMs?: number;
  readonly needsRoot?: boolean;
}

const FULL_MS = 10_000;
/** Longer than Patroni's lock lasts. */
const FROZEN_MS = 30_000;

/** All strikes of a cluster, each on a cluster that is whole. */
export const CLUSTER_STRIKES: readonly ClusterStrike[] = [
  { name: "the primary and its Patroni are killed", begin: killMember },
  { name: "the primary's machine is killed, and returns", begin: killMachine },
  { name: "the primary's machine is cut off both ways", begin: cutOff, needsRoot: true },
  { name: "the primary's machine stands still, and wakes up again", begin: freeze },
  { name: "a standby and its Patroni are killed", to: "standby", begin: killMember },
  { name: "a standby's machine is killed, and returns", to: "standby", begin: killMachine },
  {
    name: "a standby's machine is cut off both ways",
    to: "standby",
    begin: cutOff,
    needsRoot: true,
  },
  {
    name: "a standby's machine stands still, and wakes up again",
    to: "standby",
    begin: freeze,
  },
  {
    name: "the primary's disk is full",
    begin: fillDisk,
    lastsMs: FULL_MS,
    needsRoot: true,
  },
  {
    name: "the primary's disk is full, and its log",
    begin: fillLog,
    lastsMs: FULL_MS,
    needsRoot: true,
  },
  {
    name: "the synchronous standby's disk is full",
    to: "synchronous standby",
    begin: fillDisk,
    lastsMs: FULL_MS,
    needsRoot: true,
  },
  { name: "the primary is changed over", begin: switchOver },
  { name: "etcd's leader is killed", begin: killEtcdLeader },
  {
    name: "etcd's leader stands still, and wakes up again",
    begin: freezeEtcdLeader,
    lastsMs: FROZEN_MS,
  },
  { name: "all of etcd is away for a minute", begin: killEtcd, lastsMs: 60_000 },
];

/** The members of a cluster in which all run. */
export interface WholeCluster {
  readonly primary: ClusterMember;
  /** The synchronous one first. */
  readonly standbys: readonly [ClusterMember, ClusterMember];
}

/** Returns who is what once all members run and one follows synchronously; undefined until then. */
export async function readWhole(cluster: Cluster): Promise<WholeCluster | undefined> {
  // What etcd has of a member that was just lost is as it was before.
  if (!(await Promise.all(cluster.members.map(isWell))).every(Boolean)) return undefined;
  const states = await readMembers(cluster);
  const [primary, synchronous, other] = ["leader", "sync_standby", "replica"].map((wanted) => {
    // A standby that only runs may not have found its way to the new primary's timeline yet.
    const well = wanted === "leader" ? "running" : "streaming";
    const name = states.find(({ role, state }) => role === wanted && state === well)?.name;
    return cluster.members.find((member) => member.name === name);
  });
  return primary && synchronous && other && { primary, standbys: [synchronous, other] };
}

/** Whether a member's own Patroni says that its PostgreSQL runs. */
const isWell = ({ rest }: ClusterMember): Promise<boolean> =>
  fetch(`http://127.0.0.1:${rest}/health`, { signal: AbortSignal.timeout(2_000) })
    .then(({ ok }) => ok, () => false);

/** Gives each member of a stack's cluster a small disk for all but its etcd. Only root can. */
export async function openMembersDisks(dataFolder: string, members: number): Promise<SmallDisk[]> {
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
function killMember(_: unknown, member: ClusterMember): void {
  for (const pid of processesOf(member)) signal(pid, "SIGKILL");
}

/** Kills all of a member's machine, which stays away until it is started again. */
async function killMachine({ cluster: { patroni } }: Struck, member: ClusterMember): Promise<Heal> {
  await patroni.kill(member.name);
  killMember(undefined, member);
  return () => patroni.startUntilReady(member.name);
}

/** Stops all of a member's machine, which goes on later as if nothing had happened. */
function freeze(_: Struck, member: ClusterMember): Heal {
  const pids = processesOf(member);
  for (const pid of pids) signal(pid, "SIGSTOP");
  return () => pids.forEach((pid) => signal(pid, "SIGCONT"));
}

/**
 * Lets no packet leave a member's machine or reach its ports. The kernel knows what a member sends by the
 * group that it runs as.
 */
async function cutOff(
  { cluster, groups }: Struck,
  member: ClusterMember,
): Promise<Heal> {
  const { command, env } = await findProgram("nft");
  const nft = (...args: string[]) => mustRun(command, args, { env: { ...process.env, ...env } });
  const ports = [member.postgresql, member.rest].join();
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
async function fillDisk({ cluster, disks }: Struck, member: ClusterMember): Promise<Heal> {
  const disk = disks[cluster.members.indexOf(member)]!;
  await disk.fill();
  return () => disk.empty();
}

/** Leaves no room on the disk of a member's machine, nor in its log. */
async function fillLog(struck: Struck, member: ClusterMember): Promise<Heal> {
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

/** Kills etcd's leader. */
async function killEtcdLeader({ cluster }: Struck): Promise<Heal> {
  const name = etcdNameOf(cluster.members.indexOf(await findEtcdLeader(cluster)));
  await cluster.etcd.kill(name);
  return () => cluster.etcd.startUntilReady(name);
}

/** Stops etcd's leader, which then believes for a moment to be it still, and that every lease has run out. */
async function freezeEtcdLeader({ cluster }: Struck): Promise<Heal> {
  const leader = await findEtcdLeader(cluster);
  const pids = listPids().filter((pid) => isEtcd(pid) && isIn(leader, pid));
  for (const pid of pids) signal(pid, "SIGSTOP");
  return () => pids.forEach((pid) => signal(pid, "SIGCONT"));
}

/** Returns the member beside which etcd's leader runs. */
async function findEtcdLeader({ members }: Cluster): Promise<ClusterMember> {
  for (const member of members) {
    const answer = await fetch(`http://127.0.0.1:${member.etcd}/v3/maintenance/status`, {
      method: "POST",
      body: "{}",
    });
    const { header, leader } = await answer.json() as {
      header: { member_id: string };
      leader: string;
    };
    if (header.member_id === leader) return member;
  }
  throw new Error("etcd has no leader");
}

/** Kills all of etcd. */
async function killEtcd({ cluster: { members, etcd } }: Struck): Promise<Heal> {
  const names = members.map((_, index) => etcdNameOf(index));
  await Promise.all(names.map((name) => etcd.kill(name)));
  return () => Promise.all(names.map((name) => etcd.startUntilReady(name)));
}

/** Has Patroni hand over to the synchronous standby, as an operator does before maintenance. */
async function switchOver(_: Struck, { name, rest, dataFolder }: ClusterMember): Promise<void> {
  const { restapi: { authentication: { username, password } } } = parse(
    await readFile(join(dirname(dataFolder), "patroni.yaml"), "utf8"),
  ) as { restapi: { authentication: { username: string; password: string } } };
  const answer = await fetch(`http://127.0.0.1:${rest}/switchover`, {
    method: "POST",
    headers: { Authorization: `Basic ${btoa(`${username}:${password}`)}` },
    body: JSON.stringify({ leader: name }),
  });
  if (!answer.ok) throw new Error(`Patroni hands over to nobody: ${await answer.text()}`);
}

const etcdNameOf = (index: number) => `etcd-${index + 1}`;

const isEtcd = (pid: number) => commandOf(pid).includes("/etcd ");

/** Returns what runs on a member's machine: all in its folder but etcd (Linux: reads `/proc`). */
function processesOf(member: ClusterMember): number[] {
  return listPids().filter((pid) => isIn(member, pid) && !isEtcd(pid));
}

function isIn({ dataFolder }: ClusterMember, pid: number): boolean {
  try {
    return readlinkSync(`/proc/${pid}/cwd`).startsWith(realpathSync(dirname(dataFolder)));
  } catch {
    return false;
  }
}
