import { chmod, lstat, open, realpath, rename, rm, stat, writeFile } from "node:fs/promises";

/**
 * Writes a file that only its owner may read, even if it existed with another mode. It is replaced
 * atomically: a concurrent reader, or anyone after a crash, sees the old text or the new. The file
 * keeps its owner when root writes it. What is not a regular file is written in place.
 */
export async function writePrivateFile(path: string, text: string): Promise<void> {
  const found = await find(path);
  if (found !== undefined && !found.isPlain) return await writeFile(found.path, text);
  const target = found?.path ?? path;
  const beside = `${target}.${crypto.randomUUID().slice(0, 8)}.new`;
  try {
    const file = await open(beside, "wx", 0o600);
    try {
      if (found !== undefined && found.uid !== (await file.stat()).uid) {
        await file.chown(found.uid, found.gid);
      }
      await file.writeFile(text);
      await file.chmod(0o600);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(beside, target);
  } catch (error) {
    await rm(beside, { force: true });
    const { code } = error as { code?: string };
    if (found === undefined || !IRREPLACEABLE.has(code ?? "")) throw error;
    await chmod(target, 0o600);
    await writeFile(target, text);
  }
}

/** A file mounted on its own into a container, or in a folder that belongs to another user. */
const IRREPLACEABLE: ReadonlySet<string> = new Set(["EBUSY", "EACCES", "EPERM"]);

interface Found {
  /** With links resolved. */
  path: string;
  isPlain: boolean;
  uid: number;
  gid: number;
}

async function find(path: string): Promise<Found | undefined> {
  try {
    const target = await realpath(path);
    const stats = await lstat(target);
    return { path: target, isPlain: stats.isFile(), uid: stats.uid, gid: stats.gid };
  } catch (error) {
    if ((error as { code?: string }).code === "ENOENT") return undefined;
    throw error;
  }
}

/**
 * Why a file with a secret is not private, in words for people; undefined when it is: nobody but its
 * owner may read it. Of a file that root owns, a group may be a reader too, as orchestrators mount
 * secrets for a user who is not root. What is no regular file, such as a pipe, is not judged.
 *
 * @throws {Error} as Node reports it, such as `ENOENT`
 */
export async function whyNotPrivate(path: string): Promise<string | undefined> {
  const stats = await stat(path);
  const mode = stats.mode & 0o777;
  const allowed = stats.uid === 0 ? 0o740 : 0o700;
  if (!stats.isFile() || (mode & ~allowed) === 0) return undefined;
  return `${path} has mode 0${mode.toString(8)}: others can read or change a secret in it; ` +
    "chmod 600 it (a file of root's may have 0640)";
}
