import { readFileSync, statSync } from "node:fs";
import { dirname } from "node:path";
import process from "node:process";

/** A user and group of this machine, by id. */
export interface UnixUser {
  uid: number;
  gid: number;
}

/** Returns the user for programs that refuse to run as root; undefined if this process is not root's. */
export function unprivilegedUser(): UnixUser | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const lines = readFileSync("/etc/passwd", "utf8").split("\n").map((line) => line.split(":"));
  const entry = lines.find(([name]) => name === "postgres") ??
    lines.find(([name]) => name === "nobody");
  return entry ? { uid: Number(entry[2]), gid: Number(entry[3]) } : { uid: 65534, gid: 65534 };
}

/** Returns whether `user` can reach `folder`: it may search every folder of the path. */
export function canReach(user: UnixUser | undefined, folder: string): boolean {
  if (user === undefined) return true;
  for (let path = folder;; path = dirname(path)) {
    const { uid, gid, mode } = statSync(path);
    const bit = uid === user.uid ? 0o100 : gid === user.gid ? 0o010 : 0o001;
    if ((mode & bit) === 0) return false;
    if (path === dirname(path)) return true;
  }
}
