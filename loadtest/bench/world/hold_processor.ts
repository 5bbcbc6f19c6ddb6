import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const PERIOD_MICROSECONDS = 100_000;

/** Where control groups are, and how a group of a kernel's version is told its share. */
interface Groups {
  root: string;
  /** The group that a process is in, below the root. */
  of: (pid: number) => string;
  limit: (folder: string, microseconds: number) => void;
}

const VERSION_2: Groups = {
  root: "/sys/fs/cgroup",
  of: (pid) => groupOf(pid, /^0::(.*)$/m),
  limit: (folder, microseconds) =>
    writeFileSync(join(folder, "cpu.max"), `${microseconds} ${PERIOD_MICROSECONDS}`),
};

const VERSION_1: Groups = {
  root: "/sys/fs/cgroup/cpu",
  of: (pid) => groupOf(pid, /^\d+:(?:[^:]*,)?cpu(?:,[^:]*)?:(.*)$/m),
  limit: (folder, microseconds) => {
    writeFileSync(join(folder, "cpu.cfs_period_us"), String(PERIOD_MICROSECONDS));
    writeFileSync(join(folder, "cpu.cfs_quota_us"), String(microseconds));
  },
};

/**
 * Holds processes, and those that they start, to a share of one core, by a control group of version 2 or 1.
 * That needs root, and a kernel that has them.
 *
 * @param name of the group, unlike that of any other
 * @returns what lets them go again
 * @throws Error that says why they cannot be held here
 */
export function holdProcessor(name: string, pids: readonly number[], share: number): () => void {
  const groups = existsSync("/sys/fs/cgroup/cgroup.controllers") ? VERSION_2 : VERSION_1;
  const folder = join(groups.root, name);
  const before = pids.map((pid) => join(groups.root, groups.of(pid), "cgroup.procs"));
  if (groups === VERSION_2) writeFileSync(join(groups.root, "cgroup.subtree_control"), "+cpu");
  mkdirSync(folder);
  const members = join(folder, "cgroup.procs");
  const release = () => {
    // Those that came later were started by the first, and go where that one was.
    for (const pid of readFileSync(members, "utf8").split("\n").filter((line) => line !== "")) {
      enter(before[pids.indexOf(Number(pid))] ?? before[0]!, Number(pid));
    }
    rmdirSync(folder);
  };
  try {
    groups.limit(folder, Math.round(PERIOD_MICROSECONDS * share));
    for (const pid of pids) enter(members, pid);
    return release;
  } catch (error) {
    release();
    throw error;
  }
}

function groupOf(pid: number, line: RegExp): string {
  const [, path] = line.exec(readFileSync(`/proc/${pid}/cgroup`, "utf8")) ?? [];
  if (path === undefined) throw new Error("this kernel has no control groups for processors");
  return path;
}

function enter(members: string, pid: number): void {
  try {
    writeFileSync(members, String(pid));
  } catch (error) {
    // It has ended meanwhile.
    if ((error as { code?: string }).code !== "ESRCH") throw error;
  }
}
