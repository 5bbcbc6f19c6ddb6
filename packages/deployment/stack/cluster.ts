import { chownSync } from "node:fs";
import { chmod, copyFile, cp, readFile, stat } from "node:fs/promises";
import { join, relative } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { stringify } from "yaml";
import { writePrivateFile } from "@sabika/identity/keys";
import type { Opened } from "@sabika/server";
import { cacheFolder } from "../../../tools/programs/cache_folder.ts";
import { findProgram, type Program } from "../../../tools/programs/find_program.ts";
import { freePort } from "../../../tools/programs/free_port.ts";
import { findPostgreSQL } from "../../../tools/programs/postgresql_binaries.ts";
import { ownedFolder, reachable } from "../../../tools/programs/postgresql_folders.ts";
import {
  canReach,
  type UnixUser,
  unprivilegedUser,
} from "../../../tools/programs/unprivileged_user.ts";
import { tryPort } from "../folders/check_port.ts";
import { newSecret } from "../preparation/deployment_secrets.ts";
import { StartError } from "../start_error.ts";
import { createInstances, type Instances } from "./instances.ts";
import {
  type ClusterPlan,
  clusterUrl,
  etcdArguments,
  memberName,
  type MemberPorts,
  patroniSettings,
} from "./patroni_settings.ts";
import type { Restarts } from "./restarts.ts";
import type { ProcessPlan } from "./server_process.ts";

/** Three PostgreSQL servers, of which Patroni makes one the primary, and etcd (Decision D115). */
export interface Cluster {
  /** The superuser's URL, which leads to the primary. */
  readonly url: string;
  readonly members: readonly ClusterMember[];
  /** The processes of Patroni, by the members' names. */
  readonly patroni: Instances;
  /** The processes of etcd: `etcd-1` and so on. */
  readonly etcd: Instances;
}

/** A PostgreSQL server and its Patroni, which would be a machine, and one of etcd's, which would be another. */
export interface ClusterMember extends MemberPorts {
  readonly name: string;
  /** The superuser's URL of this server, whatever its role. */
  readonly url: string;
  readonly dataFolder: string;
}

/** What a stack's cluster is made with. */
export interface ClusterParts {
  /** The folder of its data. */
  readonly folder: string;
  readonly logsFolder: string;
  readonly restarts: Restarts;
  readonly random: (length: number) => Uint8Array;
  /** PostgreSQL's settings. */
  readonly settings: Readonly<Record<string, string>>;
  /** For tests: the groups as which the members run, by which the kernel tells their packets apart. */
  readonly groups?: readonly number[] | undefined;
}

const MEMBERS = 3;
/** Hands over from a member without room on its disk. */
const DISK_GUARD = fileURLToPath(new URL("../units/disk_guard.py", import.meta.url));
/** How long a first start may take: two servers copy the first one's files. */
const PATIENCE_MS = 300_000;

/** Finds or fetches the programs of a cluster. */
export async function findClusterPrograms() {
  return { patroni: await findProgram("patroni"), etcd: await findProgram("etcd") };
}

/** Programs of a cluster. */
export type ClusterPrograms = Awaited<ReturnType<typeof findClusterPrograms>>;

/**
 * Starts a cluster, and waits until it has a primary with a synchronous standby. What ends by itself is
 * started again.
 *
 * @throws {StartError} when a port is taken, or the user that runs PostgreSQL cannot reach the folder
 */
export async function startCluster(
  parts: ClusterParts,
  programs: ClusterPrograms,
  opened: Opened,
): Promise<Cluster> {
  const { folder, logsFolder, restarts, groups = [] } = parts;
  const user = unprivilegedUser();
  await openTo(user, folder);
  const plan = await keptPlan(parts);
  const etcd = await within(folder, programs.etcd, user);
  const patroni = await within(folder, programs.patroni, user);
  const binFolder = await reachable(await findPostgreSQL(), user, folder);
  const guard = join(folder, "disk_guard.py");
  await copyFile(DISK_GUARD, guard);
  await chmod(guard, 0o644);
  const plans = new Map<string, ProcessPlan>();
  const members: ClusterMember[] = [];
  for (const [index, ports] of plan.members.entries()) {
    const name = memberName(index);
    const own = await ownedFolder(join(folder, name), user);
    const settings = patroniSettings(plan, index, { ...parts, folder: own, binFolder });
    const files = { "patroni.yaml": settings, "room.yaml": { tags: { sync_priority: 1 } } };
    for (const [file, content] of Object.entries(files)) {
      await writePrivateFile(join(own, file), stringify(content));
      if (user !== undefined) chownSync(join(own, file), user.uid, user.gid);
    }
    const as = user && { ...user, gid: groups[index] ?? user.gid };
    const planOf = ({ command, args, env }: Program, more: string[], url: string) => ({
      program: command,
      args: [...args, ...more],
      folder: own,
      environment: { ...env },
      isReady: () => fetch(url).then(({ ok }) => ok, () => false),
      as,
    });
    const at = (port: number) => `http://127.0.0.1:${port}`;
    const etcdArgs = etcdArguments(plan, index, own);
    // As on a machine of its own.
    const etcdPlan = planOf(etcd, etcdArgs, `${at(ports.etcd)}/health`);
    plans.set(etcdName(index), { ...etcdPlan, as: user });
    const liveness = `${at(ports.rest)}/liveness`;
    plans.set(name, planOf(patroni, [own], liveness));
    plans.set(guardName(index), planOf({ ...patroni, args: [guard] }, [own], liveness));
    const url = clusterUrl({ ...plan, members: [ports] });
    members.push({ name, url, dataFolder: join(own, "data"), ...ports });
  }
  const createAll = () =>
    createInstances({ planOf: (name) => plans.get(name)!, logsFolder, restarts });
  const cluster = { url: clusterUrl(plan), members, etcd: createAll(), patroni: createAll() };
  // The last etcd would wait half a minute for the others before it ends, and needs no orderly end.
  opened.add(async () => {
    await restarts.end();
    await Promise.all(members.map((_, index) => cluster.etcd.kill(etcdName(index))));
  });
  opened.add(() => cluster.patroni.stopAll());
  const guards = createAll();
  opened.add(() => guards.stopAll());
  await Promise.all(members.map((_, index) => cluster.etcd.start(etcdName(index))));
  await Promise.all(members.map(({ name }) => cluster.patroni.start(name)));
  await Promise.all(members.map((_, index) => guards.start(guardName(index))));
  await untilProtected(cluster, logsFolder);
  return cluster;
}

/** Whether a folder has the data of a cluster. */
export function hasCluster(folder: string): Promise<boolean> {
  return stat(planFile(folder)).then(() => true, () => false);
}

/** A member's state, as Patroni's REST API tells it. */
export interface MemberState {
  readonly name: string;
  readonly role: "leader" | "sync_standby" | "replica";
  /** `running` of a primary and of a replica, in later versions `streaming`. */
  readonly state: string;
}

/** Returns what the first Patroni that answers knows of all members; empty when none does. */
export async function readMembers({ members }: Pick<Cluster, "members">): Promise<MemberState[]> {
  for (const { rest } of members) {
    try {
      const signal = AbortSignal.timeout(2_000);
      const response = await fetch(`http://127.0.0.1:${rest}/cluster`, { signal });
      return (await response.json() as { members: MemberState[] }).members;
    } catch {
      // The next one may know.
    }
  }
  return [];
}

const etcdName = (index: number) => `etcd-${index + 1}`;
const guardName = (index: number) => `disk-guard-${index + 1}`;
const planFile = (folder: string) => join(folder, "cluster.json");

/** Makes the folder one that the user of PostgreSQL reaches, if only the data folder is in its way. */
async function openTo(user: UnixUser | undefined, folder: string): Promise<void> {
  if (user === undefined) return;
  // Each file and folder in it is private by itself.
  await chmod(join(folder, ".."), 0o711);
  await ownedFolder(folder, user);
  if (canReach(user, folder)) return;
  throw new StartError(
    "--ha: the user that runs PostgreSQL cannot reach the data folder: choose another with " +
      "--data FOLDER, or start the stack as another user than root",
  );
}

/** Reads the plan of the first start, whose ports the members know one another by, or makes it. */
async function keptPlan({ folder, random }: ClusterParts): Promise<ClusterPlan> {
  const file = planFile(folder);
  if (!await hasCluster(folder)) {
    const ports = new Set<number>();
    // The same one may be free twice.
    while (ports.size < 4 * MEMBERS) ports.add(await freePort());
    const left = [...ports];
    const next = () => left.pop()!;
    const members = Array.from({ length: MEMBERS }, (): MemberPorts => ({
      postgresql: next(),
      rest: next(),
      etcd: next(),
      etcdPeer: next(),
    }));
    const secret = () => newSecret(random);
    const passwords = { superuser: secret(), replication: secret(), rest: secret() };
    await writePrivateFile(file, JSON.stringify({ members, passwords }));
  }
  const plan = JSON.parse(await readFile(file, "utf8")) as ClusterPlan;
  for (const port of plan.members.flatMap((ports) => Object.values(ports) as number[])) {
    if (await tryPort(port) !== undefined) continue;
    throw new StartError(`port ${port}, which the cluster has had since its first start, is taken`);
  }
  return plan;
}

/** Copies a program from a cache that the user cannot reach, such as root's, into the cluster's folder. */
async function within(
  folder: string,
  { command, args, env }: Program,
  user: UnixUser | undefined,
): Promise<Program> {
  const cache = cacheFolder();
  if (canReach(user, cache)) return { command, args, env };
  const paths = [command, ...Object.values(env).flatMap((list) => list.split(":"))];
  for (const path of paths.filter((path) => path.startsWith(`${cache}/`))) {
    const [name] = relative(cache, path).split("/");
    const copy = join(folder, name!);
    await cp(join(cache, name!), copy, { recursive: true, verbatimSymlinks: true });
    await chmod(copy, 0o755);
  }
  const moved = (text: string) => text.replaceAll(cache, folder);
  return {
    command: moved(command),
    args,
    env: Object.fromEntries(Object.entries(env).map(([name, text]) => [name, moved(text)])),
  };
}

/**
 * Waits for a primary and its synchronous standby: before, it acknowledges nothing. Each is asked itself,
 * since after a kill etcd still has who was what.
 */
async function untilProtected({ members }: Cluster, logsFolder: string): Promise<void> {
  for (const end = performance.now() + PATIENCE_MS; performance.now() < end;) {
    const states = await Promise.all(members.map(readOwnState));
    const isLed = states.some(({ role, state }) => role === "primary" && state === "running");
    const isFollowed = states.some((state) =>
      state.sync_standby && state.replication_state === "streaming"
    );
    if (isLed && isFollowed) return;
    await pause(200);
  }
  throw new StartError(`no primary with a synchronous standby: see ${logsFolder}/member-1.log`);
}

/** What a member's Patroni tells of its own server; nothing when it does not answer. */
async function readOwnState({ rest }: MemberPorts) {
  try {
    const response = await fetch(`http://127.0.0.1:${rest}/patroni`);
    return await response.json() as {
      role?: string;
      state?: string;
      sync_standby?: true;
      replication_state?: string;
    };
  } catch {
    return {};
  }
}
